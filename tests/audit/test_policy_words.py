"""What a policy says to people: sentences in English, mistakes with a way out, what hides told as what hides."""

from __future__ import annotations

import pytest

from raidctl.audit import builtin
from raidctl.audit.engine import Auditor, finish
from raidctl.audit.policy.schema import kinds
from raidctl.audit.policy.scope import single
from raidctl.audit.policy.sets import load
from raidctl.model import BlockLayer, Drive, Problem
from raidctl.text import plural
from raidctl.toml_files.mistakes import MistakesError
from tests.audit.policies import audited, machine, mistakes, only, policy, reader, volume

UNREAD = Problem(severity="error", where="c:1", message="It died.", kind="unread")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("drives = 3", "drives: 2 found, exactly 3 required."),
        ("controller.batteries = 2", "controller.batteries: 1 found, exactly 2 required."),
        ('drives = { where = { media = "hdd" }, count = 0 }',
         "drives with media hdd: 2 found, none allowed."),
        ("drives.rpm = 10000", "drives: rpm 10000 required for all, unknown for c:1/a and c:1/b."),
        ('drives.media = "ssd"', "drives: media ssd required for all, not met by c:1/a and c:1/b."),
        ('drives = { where = { media = "hdd" }, all = { model = "X" } }',
         "drives with media hdd: model X required for all, not met by c:1/a and c:1/b."),
        ('drives = { any = { media = "ssd" } }', "drives: media ssd required for at least one, met by none of 2."),
        ('drives = { none = { media = "hdd" } }',
         "drives: media hdd not allowed, met by c:1/a and c:1/b."),
        ('drives = { count = 3, none = { media = "hdd" } }',
         "drives: 2 found, exactly 3 required; drives: media hdd not allowed, met by c:1/a and c:1/b."),
        ("drives.serial = { same = true }",
         "drives.serial: unknown 2 times, required: the same serial for every drive."),
        ('mountpoints = "/x"', "mountpoints: /srv/db, required: /x."),
        ('status = "failed"', "status: ok, required: failed."),
    ],
)  # fmt: skip
def test_what_is_the_matter_with_a_list_is_said_in_english(line: str, told: str) -> None:
    """Lists are many, and what is asked of each of them is said of each."""
    assert only(line, machine()).message == told


def test_a_list_of_something_that_is_not_told_is_said_in_english() -> None:
    """Of a volume without an array nobody tells which drives that has; a single value is said as ever."""
    told = only('array.drives.status = "ok"', machine(volume(array=None))).message
    assert told == "array.drives: unknown, required: every drive with status ok."
    told = only('array.status = "ok"', machine(volume(array=None))).message
    assert told == "array.status: unknown, required: ok."


def test_objects_without_an_id_are_named_by_what_they_have() -> None:
    """A partition has a device and no name, a problem says where it is."""
    one = machine(volume(layers=(BlockLayer(device="/dev/sda1"),)), problems=(UNREAD,))
    found = audited('layers = { any = { kind = "lvm" } }\nhost.problems = { none = { kind = "unread" } }', one).findings
    told = [finding.message for finding in found if finding.rule != "unread"]
    assert told[0] == "layers: kind lvm required for at least one, met by none of 1."
    assert told[1] == "host.problems: kind unread not allowed, met by c:1."
    every = only('layers = { all = { kind = "lvm" } }', machine(volume(layers=(BlockLayer(device="/dev/sda1"),))))
    assert every.message == "layers: kind lvm required for all, not met by /dev/sda1."


def test_what_passes_is_said_in_english() -> None:
    """With everything told, a list that is as it should be is named as it is."""
    found = only("drives = 2", machine())
    assert (found.outcome, found.message) == ("pass", "drives: 2 found.")


def test_a_count_of_objects_that_should_not_be_is_said_in_english() -> None:
    """``count = 0`` wants no drives, not "none drive"."""
    found = only('[[rule]]\nfor = "battery"\ncount = 0', machine())
    assert found.message == "batteries: 1 found, none allowed."


def test_different_values_are_counted_in_english() -> None:
    """Once is no "1 times"."""
    drives = (Drive(id="c:1/a", model="A"), Drive(id="c:1/b", model="B"), Drive(id="c:1/s", model="B"))
    found = only("controller.drives.model = { same = true }", machine(drives=drives))
    told = "controller.drives.model: A once, B 2 times, required: the same model for every drive."
    assert found.message == told


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [("array", "an array", "arrays"), ("battery", "a battery", "batteries"), ("cache", "a cache", "caches"),
     ("volume_cache", "a volume cache", "volume caches"), ("errors", "errors", "errors"),
     ("progress", "a progress", "progresses"), ("identity", "an identity", "identities")],
)  # fmt: skip
def test_kinds_have_articles_and_plurals(kind: str, one: str, many: str) -> None:
    """An array, two batteries."""
    assert (single(kind), plural(kind).replace("_", " ")) == (one, many)


def slips() -> list[str]:
    """A misspelt field, a wrong value, a wrong operator: for each field of each kind that a rule can be for."""
    found = []
    for kind in ("host", "controller", "cache", "battery", "array", "volume", "drive", "problem", "tool"):
        for name in [*kinds()[kind].fields, "nonsense"]:
            wishes = ('{ is = "\\u0001" }', '"\\u0001"', "-5", "[]", "{}", "{ zzz = 1 }", '{ field = "zzz" }', "1.5",
                      "true", "{ same = 1 }", "{ count = { mim = 1 } }", "{ any = 1 }")  # fmt: skip
            found += [f'[[rule]]\nfor = "{kind}"\nrequire = {{ {name} = {wish} }}' for wish in wishes]
    return found


def test_no_mistake_is_told_in_half_a_sentence() -> None:
    """Whatever is wrong, the sentence that says so has an end, and its nouns have their articles and plurals."""
    half = ("; ", ": ", ";", ":", ";.", ", ")
    told = {said for text in slips() for said in mistakes(text)}
    assert len(told) > 200
    assert [said for said in told if said.endswith(half) or said[-1] not in ".?"] == []
    assert [
        said for said in told for wrong in (" a array", "batterys", "a errors", " a identity") if wrong in said
    ] == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('drives = { is = "x" }',
         ('1: a list of drives has no condition "is"; use count, any, all, none or where, or a field of a drive.')),
        ('[[rule]]\nfor = "volume"\ncount = { mim = 1 }', '3: a count has no "mim"; did you mean min?'),
        ("drives = { count = { maxx = 1 } }", '1: a count has no "maxx"; did you mean max?'),
        ("drives = { count = { min = 2, max = 1 } }", "1: min 2 is greater than max 1."),
        ('volume.array = "x"', '1: omit "volume", which the line is about, and write array.id.'),
        ('volume.raid_level = "raid6"', '1: omit "volume", which the line is about, and write raid_level.'),
        ('[[rule]]\nfor = "drive"\nrequire = { "drive.model" = "x" }',
         '3: omit "drive", which the line is about, and write model.'),
        ('[[rule]]\nfor = "drive"\nrequire = { drive = { array = "x" } }',
         '3: omit "drive", which the line is about, and write array.id.'),
        ("array = 5", '1: "array" is an array: name one of its fields, array.id.'),
        ('controller.batteries = "x"',
         ('1: "controller.batteries" is a list of batteries: use "count", or "any", "all" or "none" with '
          "conditions.")),
    ],
)  # fmt: skip
def test_a_mistake_names_the_way_out(text: str, told: str) -> None:
    """What to write instead is in the sentence."""
    assert f"site.toml:{told}" in mistakes(text)


@pytest.mark.parametrize(
    ("text", "every", "line"),
    [
        ('builtin = "all"\n[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 1', False, 4),
        ('builtin = ["drive_failed"]\n[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 1', False, 4),
        ('[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 1', True, 3),
        ('builtin = "all"\n[group.x]\nhosts = ["*"]\n[[group.x.rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 1',
         False, 6),
        ('[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 1\n[group.x]\nhosts = ["*"]\nbuiltin = "all"',
         False, 3),
    ],
)  # fmt: skip
def test_a_rule_cannot_be_called_like_a_built_in_one_beside_it(text: str, every: bool, line: int) -> None:
    """Their findings would be counted in one row, and one override would change both."""
    with pytest.raises(MistakesError) as caught:
        load("site.toml", reader(text, {}), builtin.rules(), every=every)
    [fault] = caught.value.faults
    assert fault.line == line
    assert fault.message.startswith('"drive_failed" is the name of a built-in rule')
    assert "choose another name" in fault.message


def test_a_rule_may_be_called_like_a_built_in_one_that_is_not_asked_for() -> None:
    """There is nothing to mix it up with."""
    text = 'builtin = ["raid0_in_use"]\n[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 3'
    assert load("site.toml", reader(text, {}), builtin.rules()).for_host("x").rules[0].name == "drive_failed"


def test_no_rule_can_be_called_unread() -> None:
    """That is the rule that is always there."""
    [told] = mistakes('[[rule]]\nfor = "drive"\nname = "unread"\ncount = 1')
    assert told.startswith('site.toml:3: "unread" is the name of a rule that is always active')


NOWHERE = '[[rule]]\nname = "x"\nfor = "volume"\nwhere = { raid_level = "raid0" }\nrequire = { status = "ok" }'


def test_a_rule_that_meets_nothing_where_something_hides_is_not_to_be_corrected() -> None:
    """Behind a card that could not be read there may be just what the rule is about."""
    for text in (NOWHERE, f'ignore = ["unread"]\n{NOWHERE}'):
        [found] = [one for one in audited(text, machine(problems=(UNREAD,))).findings if one.rule != "unread"]
        assert found.outcome == "unmatched"
        assert found.remedy is not None
        assert found.remedy.startswith("Not everything could be read")
        assert "Correct" not in found.remedy
    assert "Correct" in str(only(NOWHERE, machine()).remedy)


@pytest.mark.parametrize("hidden", [True, False])
def test_of_many_machines_it_is_said_whether_something_hides_on_one(hidden: bool) -> None:
    """With one machine that could not be read among them, the rule may be right; counts of processes are added up."""
    made = policy(NOWHERE)
    total = Auditor(made).take()
    for problems in ((), (UNREAD,) if hidden else ()):
        auditor = Auditor(made)
        auditor.audit(machine(problems=problems), "here")
        total.add(auditor.take())
    [found] = finish(made, total, alone=False).findings
    assert str(found.remedy).startswith("Not everything could be read") is hidden


def test_an_inventory_that_cannot_be_read_hides_what_a_rule_is_about() -> None:
    """As does a card."""
    auditor = Auditor(policy(NOWHERE))
    auditor.audit(machine(), "here")
    auditor.unreadable("there", "It is cut off.")
    [found] = finish(auditor.policy, auditor.take(), alone=False).findings
    assert str(found.remedy).startswith("Not everything could be read")


def test_a_byte_order_mark_is_no_mistake() -> None:
    """Editors of Windows write one, in included files, too; the lines stay the same."""
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}"
    text = f'{mark}include = ["base.toml"]'
    assert len(policy(text, base=f'{mark}status = "ok"').for_host("x").rules) == 1
    assert mistakes(f'{mark}\nraid_level = "raid7"')[0].startswith("site.toml:2: ")
