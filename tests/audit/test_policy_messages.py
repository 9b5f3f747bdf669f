"""Messages of policies. They have correct English, mistakes with a remedy, and what unread parts may hide."""

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
    ("line", "expected"),
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
def test_a_failed_condition_on_a_list_is_reported_in_english(line: str, expected: str) -> None:
    """The message for a list is in the plural. It names the objects that fail."""
    assert only(line, machine()).message == expected


def test_an_unknown_list_is_reported_in_english() -> None:
    """The drives of a volume without an array are reported as unknown. A single value is reported in the same way."""
    message = only('array.drives.status = "ok"', machine(volume(array=None))).message
    assert message == "array.drives: unknown, required: every drive with status ok."
    message = only('array.status = "ok"', machine(volume(array=None))).message
    assert message == "array.status: unknown, required: ok."


def test_objects_without_an_id_are_named_by_what_they_have() -> None:
    """A partition is named by its device, a problem by its place."""
    one = machine(volume(layers=(BlockLayer(device="/dev/sda1"),)), problems=(UNREAD,))
    found = audited('layers = { any = { kind = "lvm" } }\nhost.problems = { none = { kind = "unread" } }', one).findings
    messages = [finding.message for finding in found if finding.rule != "unread"]
    assert messages[0] == "layers: kind lvm required for at least one, met by none of 1."
    assert messages[1] == "host.problems: kind unread not allowed, met by c:1."
    every = only('layers = { all = { kind = "lvm" } }', machine(volume(layers=(BlockLayer(device="/dev/sda1"),))))
    assert every.message == "layers: kind lvm required for all, not met by /dev/sda1."


def test_a_list_that_passes_is_reported_in_english() -> None:
    """The message of a passed condition has the value."""
    found = only("drives = 2", machine())
    assert (found.outcome, found.message) == ("pass", "drives: 2 found.")


def test_a_count_of_zero_is_reported_in_english() -> None:
    """``count = 0`` is reported as "none allowed"."""
    found = only('[[rule]]\nfor = "battery"\ncount = 0', machine())
    assert found.message == "batteries: 1 found, none allowed."


def test_different_values_are_counted_in_english() -> None:
    """One occurrence is "once", not "1 times"."""
    drives = (Drive(id="c:1/a", model="A"), Drive(id="c:1/b", model="B"), Drive(id="c:1/s", model="B"))
    found = only("controller.drives.model = { same = true }", machine(drives=drives))
    message = "controller.drives.model: A once, B 2 times, required: the same model for every drive."
    assert found.message == message


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [("array", "an array", "arrays"), ("battery", "a battery", "batteries"), ("cache", "a cache", "caches"),
     ("volume_cache", "a volume cache", "volume caches"), ("errors", "errors", "errors"),
     ("progress", "a progress", "progresses"), ("identity", "an identity", "identities")],
)  # fmt: skip
def test_kinds_have_articles_and_plurals(kind: str, one: str, many: str) -> None:
    """Kinds have the right articles and plurals."""
    assert (single(kind), plural(kind).replace("_", " ")) == (one, many)


def invalid_policies() -> list[str]:
    """Invalid policies for each field of each kind. The field, the value or the operator is wrong."""
    found = []
    for kind in ("host", "controller", "cache", "battery", "array", "volume", "drive", "problem", "tool"):
        for name in [*kinds()[kind].fields, "nonsense"]:
            values = ('{ is = "\\u0001" }', '"\\u0001"', "-5", "[]", "{}", "{ zzz = 1 }", '{ field = "zzz" }', "1.5",
                      "true", "{ same = 1 }", "{ count = { mim = 1 } }", "{ any = 1 }")  # fmt: skip
            found += [f'[[rule]]\nfor = "{kind}"\nrequire = {{ {name} = {value} }}' for value in values]
    return found


def test_messages_of_mistakes_are_whole_sentences() -> None:
    """Each message is a whole sentence with the right articles and plurals."""
    half = ("; ", ": ", ";", ":", ";.", ", ")
    messages = {message for text in invalid_policies() for message in mistakes(text)}
    assert len(messages) > 200
    assert [message for message in messages if message.endswith(half) or message[-1] not in ".?"] == []
    assert [
        message
        for message in messages
        for wrong in (" a array", "batterys", "a errors", " a identity")
        if wrong in message
    ] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('write_cache = { is = "p*" }',
         '1: "write_cache" cannot be "p*": it can be protected, unprotected, write_through or off.'),
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
def test_a_mistake_suggests_what_to_write(text: str, expected: str) -> None:
    """The message contains what to write instead."""
    assert f"site.toml:{expected}" in mistakes(text)


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
def test_a_rule_cannot_have_the_name_of_an_active_built_in_rule(text: str, every: bool, line: int) -> None:
    """The name is refused, because findings and overrides would be mixed up."""
    with pytest.raises(MistakesError) as caught:
        load("site.toml", reader(text, {}), builtin.rules(), every=every)
    [fault] = caught.value.faults
    assert fault.line == line
    assert fault.message.startswith('"drive_failed" is the name of a built-in rule')
    assert "choose another name" in fault.message


def test_a_rule_may_have_the_name_of_an_inactive_built_in_rule() -> None:
    """A built-in rule that the policy does not use reserves no name."""
    text = 'builtin = ["raid0_in_use"]\n[[rule]]\nfor = "drive"\nname = "drive_failed"\ncount = 3'
    assert load("site.toml", reader(text, {}), builtin.rules()).for_host("x").rules[0].name == "drive_failed"


def test_no_rule_can_be_called_unread() -> None:
    """``unread`` is the name of a rule that is always active."""
    [mistake] = mistakes('[[rule]]\nfor = "drive"\nname = "unread"\ncount = 1')
    assert mistake.startswith('site.toml:3: "unread" is the name of a rule that is always active')


NOWHERE = '[[rule]]\nname = "x"\nfor = "volume"\nwhere = { raid_level = "raid0" }\nrequire = { status = "ok" }'


def test_the_remedy_of_an_unmatched_rule_mentions_unread_parts() -> None:
    """If a controller could not be read, the rule may be right. The remedy is then not to correct it."""
    for text in (NOWHERE, f'ignore = ["unread"]\n{NOWHERE}'):
        [found] = [one for one in audited(text, machine(problems=(UNREAD,))).findings if one.rule != "unread"]
        assert found.outcome == "unmatched"
        assert found.remedy is not None
        assert found.remedy.startswith("Not everything could be read")
        assert "Correct" not in found.remedy
    assert "Correct" in str(only(NOWHERE, machine()).remedy)


@pytest.mark.parametrize("hidden", [True, False])
def test_one_unread_machine_among_many_changes_the_remedy(hidden: bool) -> None:
    """With one unread machine among many, the rule may be right. Counts of processes are added."""
    made = policy(NOWHERE)
    total = Auditor(made).take()
    for problems in ((), (UNREAD,) if hidden else ()):
        auditor = Auditor(made)
        auditor.audit(machine(problems=problems), "here")
        total.add(auditor.take())
    [found] = finish(made, total, alone=False).findings
    assert str(found.remedy).startswith("Not everything could be read") is hidden


def test_an_unreadable_inventory_changes_the_remedy() -> None:
    """An unreadable inventory has the same effect as an unread controller."""
    auditor = Auditor(policy(NOWHERE))
    auditor.audit(machine(), "here")
    auditor.unreadable("there", "It is cut off.")
    [found] = finish(auditor.policy, auditor.take(), alone=False).findings
    assert str(found.remedy).startswith("Not everything could be read")


def test_a_byte_order_mark_is_accepted() -> None:
    """A byte order mark, also of an included file, moves no lines."""
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}"
    text = f'{mark}include = ["base.toml"]'
    assert len(policy(text, base=f'{mark}status = "ok"').for_host("x").rules) == 1
    assert mistakes(f'{mark}\nraid_level = "raid7"')[0].startswith("site.toml:2: ")
