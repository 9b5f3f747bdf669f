"""Policy files: mistakes with line and suggestion, includes, groups, overrides, the baseline."""

from __future__ import annotations

import re

import hypothesis.strategies as st
import pytest
from hypothesis import given

from raidctl.audit import builtin
from raidctl.audit.baseline import baseline
from raidctl.audit.engine import Auditor
from raidctl.audit.policy.sets import Policy, load
from raidctl.toml_files.lines import locate
from tests.audit.policies import audited, machine, mistakes, only, policy, reader, recorded, volume
from tests.support.machines import MACHINES


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('raid_level = "raid7"', '"raid_level" cannot be "raid7": did you mean raid6'),
        ('raid_level = "RAID-6"', "did you mean raid6?"),
        ('raid_level = "unknown"', "use { known = false }"),
        ("raid_level = 6", '"raid_level" cannot be 6'),
        ('raid_levle = "raid6"', "did you mean raid_level?"),
        ('status = "good"', '"status" cannot be "good": it can be'),
        ('cache.write_polcy = "off"', '"write_polcy" is not a field of a volume cache; did you mean write_policy'),
        ('size_bytes = "big"', 'cannot be "big": write'),
        ("size_bytes = -1", '"size_bytes" cannot be -1'),
        ('size_bytes = { min = "2TB", max = "1TB" }', 'min "2TB" is greater than max "1TB"'),
        ('size_bytes = { mni = "2TB" }', "did you mean min?"),
        ("controller.cache.read_percent = 101", '"read_percent" cannot be 101'),
        ('cache_split = "25/70"', "is not a cache split"),
        ('cache.write_protected = "yes"', '"write_protected" is true or false, not "yes"'),
        ("raid_level = []", "the list is empty"),
        ("raid_level = {}", 'the condition on "raid_level" is empty'),
        ('size_bytes = { field = "size_bytes" }', "can be compared only with another number field"),
        ("name = 5", '"name" is a string: write "5" in quotes.'),
        ('drives = "sda"', '"drives" is a list of drives'),
        ("drives = { count = -1 }", '"count" has to be a number'),
        ('drives = { every = { status = "ok" } }', 'a list of drives has no condition "every"'),
        ('drives = { where = { status = "ok" } }', 'a list needs "count", "any", "all" or "none"'),
        ('cache = "on"', '"cache" is a volume cache: name one of its fields'),
        ('device.x = "y"', '"device" has no condition "x"'),
        ('builtin = ["write_back_unprotectd"]', "did you mean write_back_unprotected"),
        ('ignore = ["nothing"]', 'no rule is called "nothing"'),
        ('[override.raid]\nseverity = "info"', 'no rule is called "raid"'),
        ('raid_level = "raid6"\n[override.raid_level]\nseverity = "bad"', '"severity" cannot be "bad"'),
        ('[[rule]]\nfor = "volumes"\nrequire = { status = "ok" }', "did you mean volume?"),
        ('[[rule]]\nrequire = { status = "ok" }', '"for" is missing'),
        ('[[rule]]\nfor = "volume"', 'a rule needs "require" or "count"'),
        ('[[rule]]\nfor = "volume"\nrequires = { status = "ok" }', "did you mean require?"),
        ('[[rule]]\nfor = "volume"\nrequire = {}', "this table is empty"),
        ('[[rule]]\nfor = "volume"\nrequire = "ok"', "this has to be a table of fields"),
        ('[rule]\nfor = "volume"', "write [[rule]]"),
        ('[group.db]\nraid_level = "raid10"', 'the group "db" needs hosts'),
        ('[group.db]\nhosts = ["db*"]\ninclude = ["x.toml"]', '"include" is neither a key of a policy'),
        ('include = ["none.toml"]', '"none.toml" cannot be read: No such file or directory.'),
        ("include = 5", '"include" has to be a list of files'),
        ("raid_level = ", "invalid TOML"),
        ("\n\n= 5", "invalid TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_its_line_and_a_suggestion(line: str, expected: str) -> None:
    """Invalid input is refused, and the nearest valid word is suggested."""
    found = load_mistakes(line)
    assert any(expected in one for one in found), found
    assert all(re.match(r"site\.toml:\d+: ", one) for one in found)


def load_mistakes(text: str) -> list[str]:
    """The mistakes of a policy that may name built-in rules."""
    from raidctl.toml_files.mistakes import MistakesError  # noqa: PLC0415 - only here

    try:
        load("site.toml", reader(text, {}), builtin.rules())
    except MistakesError as error:
        return [str(fault) for fault in error.faults]
    return []


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_lines() -> None:
    """One run reports every mistake, in the order of the lines."""
    text = (
        'batery = "ok"\n\n[[rule]]\nfor = "volume"\nwhere = {\n}\nrequire = { strip_byts = 1 }\n[[rule]]\nfor = "x"\n'
    )
    text = text.replace("where = {\n}\n", "# nothing\n\n")
    assert [one.split(":")[1] for one in mistakes(text)] == ["1", "7", "9"]


def test_mistakes_of_an_included_file_name_it() -> None:
    """The file and line are those of the included file."""
    assert mistakes('include = ["base.toml"]', base='\nraid_level = "raid7"')[0].startswith("base.toml:2: ")


def test_files_that_include_each_other_are_refused() -> None:
    """The message shows the cycle."""
    [mistake] = mistakes('include = ["base.toml"]', base='include = ["site.toml"]')
    assert mistake == 'base.toml:1: "site.toml" includes itself: site.toml includes base.toml includes site.toml.'


def test_includes_are_relative_to_their_file() -> None:
    """Includes do not depend on the working directory."""
    held = {"p/site.toml": b'include = ["../q/base.toml"]', "q/base.toml": b'raid_level = "raid6"'}
    made = load("p/site.toml", held.__getitem__, ())
    assert [rule.name for rule in made.for_host("x").rules] == ["raid_level"]


def test_a_file_overrides_what_it_includes() -> None:
    """A rule replaces an included one of the same name, in place."""
    made = policy('include = "base.toml"\nraid_level = "raid1"', base='raid_level = "raid6"\nbattery = "ok"')
    rules = made.for_host("x").rules
    assert [(rule.name, rule.required[0].wanted) for rule in rules] == [("raid_level", "raid1"), ("battery", "ok")]


def test_a_rule_without_a_name_replaces_no_other() -> None:
    """Such rules of a policy, its included files and its groups all apply, each under another name."""
    rule = '[[rule]]\nfor = "{}"\nrequire = {{ status = "ok" }}\n'
    text = f'include = ["base.toml", "more.toml"]\n{rule.format("volume")}[group.db]\nhosts = ["db*"]\n'
    group = '[[group.db.rule]]\nfor = "battery"\nrequire = { status = "ok" }\n'
    base = f'{rule.format("drive")}[group.db]\nhosts = ["db*"]\n{group}'
    made = policy(f"{text}{group}", base=base, more=rule.format("array"))
    assert {rule.name: rule.kind for rule in made.for_host("db1").rules} == {
        "rule 1 of base.toml": "drive", "rule 1 of more.toml": "array", "rule 1": "volume",
        "rule 1 of group db of base.toml": "battery", "rule 1 of group db": "battery",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("base", "site", "wanted"),
    [
        ('controller.mode = "raid"', 'controller.status = "ok"', ["controller.mode raid", "controller.status ok"]),
        ('cache.read_policy = "none"', 'cache = { read_policy = "adaptive" }', ["cache.read_policy adaptive"]),
        ('drives.status = "ok"', 'drives.media = "ssd"',
         ["drives every drive with status ok", "every drive with media ssd"]),
        ("drives = { count = 4 }", "drives = { count = 6 }", ["drives exactly 6 drives"]),
        ("controller.cache.present = true", 'controller.cache.status = "ok"',
         ["controller.cache.present true", "controller.cache.status ok"]),
    ],
)  # fmt: skip
def test_a_line_on_one_field_of_an_object_replaces_none_on_another(base: str, site: str, wanted: list[str]) -> None:
    """Lines on other fields of the same object apply beside those of an included file, and so do those of a group.

    A line on the same field, or with a count, replaces the older one.
    """
    included = policy(f'include = ["base.toml"]\n{site}', base=base)
    grouped = policy(f'{base}\n[group.db]\nhosts = ["db*"]\n{site}')
    for made in (included, grouped):
        [rule] = made.for_host("db1").rules
        found = [f"{one.path} {one.wanted}" for one in rule.required]
        assert sorted(" and ".join(found).split(" and ")) == sorted(wanted)


GROUPED = """
raid_level = "raid1"
battery = "ok"
[override.battery]
severity = "info"
[group.db]
hosts = ["db*"]
raid_level = "raid10"
ignore = ["battery"]
[[group.db.rule]]
name = "more"
for = "drive"
require = { status = "ok" }
[group.db.override.raid_level]
severity = "critical"
remedy = "Call."
"""


def test_a_group_replaces_adds_ignores_and_overrides() -> None:
    """A group changes the rules of its hosts only."""
    made = policy(GROUPED)
    db, web = made.for_host("db7").rules, made.for_host("web").rules
    assert [(rule.name, rule.severity) for rule in db] == [("raid_level", "critical"), ("more", "warning")]
    assert db[0].required[0].wanted == "raid10"
    assert [(rule.name, rule.severity) for rule in web] == [("raid_level", "warning"), ("battery", "info")]


def test_a_group_of_several_files_has_the_hosts_of_all() -> None:
    """The lines of one file apply to its hosts, whatever hosts another file has for a group of that name."""
    group = '[group.db]\nhosts = ["{}*"]\n{}\n'
    base, more = group.format("db", 'raid_level = "raid10"'), group.format("replica", 'battery = "ok"')
    made = policy('include = ["base.toml", "more.toml"]', base=base, more=more)
    for host in ("db1", "replica1"):
        assert {rule.name for rule in made.for_host(host).rules} == {"raid_level", "battery"}


def test_a_host_without_a_name_has_an_unknown_group() -> None:
    """The host gets the common rules. It also gets an UNKNOWN finding about the group."""
    found = Auditor(policy(GROUPED), alone=True).audit(machine(hostname=None), "here").findings
    assert [(one.rule, one.outcome) for one in found] == [("group db", "unknown")]


def test_built_in_rules_can_be_chosen_overridden_and_ignored() -> None:
    """Severity and remedy of a policy override those of the rule."""
    rules = builtin.rules()
    inventory = recorded("smartarray-gen10-failed-battery")
    text = """
        builtin = ["battery_failed", "raid0_in_use"]
        ignore = ["raid0_in_use"]
        [override.battery_failed]
        severity = "info"
        remedy = "Wait."
    """
    auditor = Auditor(policy(text, builtin=rules), alone=True)
    found = auditor.audit(inventory, "here").findings
    assert {(one.rule, one.severity, one.remedy) for one in found} == {("battery_failed", "info", "Wait.")}
    assert auditor.tally.severities["battery_failed"] == "info"


@pytest.mark.parametrize("name", MACHINES)
def test_a_baseline_passes_on_the_machine_that_it_was_written_from(name: str) -> None:
    """Every rule passes unless it is marked as not met. What could not be read stays UNKNOWN."""
    inventory = recorded(name)
    text = baseline(inventory)
    marked = {part.split('"')[1] for part in text.split("[[rule]]\n")[1:] if "# now: " in part}
    found = audited(text, inventory)
    assert {one.rule for one in found.findings} - {"unread"} == marked
    assert found.checked


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"raid_level": "raid0"}, "c:1/v1"),
        ({"size_bytes": 1}, "c:1/v1"),
        ({"status": "degraded"}, "c:1/v1"),
        ({"cache": None}, "c:1/v1"),
    ],
)
def test_a_baseline_reports_what_has_changed(change: dict[str, object], rule: str) -> None:
    """A value that differs from the baseline is a failure."""
    text = baseline(machine())
    assert [one.rule for one in audited(text, machine(volume(**change))).findings] == [rule]


def test_a_baseline_quotes_the_texts_of_hardware() -> None:
    """Quotes, newlines, patterns and control characters from hardware are escaped."""
    nasty = machine(model='A"\n[[rule]]\x7f\x1b\x85\U00010000', firmware="1[a]*")
    text = baseline(nasty)
    assert "\x1b" not in text
    assert audited(text, nasty).findings == ()
    other = machine(model='A"\n[[rule]]\x7f\x1b\x85\U00010000', firmware="1a")
    assert [one.field for one in audited(text, other).findings] == ["firmware"]


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=6)


@given(st.lists(st.tuples(KEYS, st.text(max_size=8)),
                unique_by=lambda pair: pair[0], max_size=8))  # fmt: skip
def test_the_line_of_a_key_is_found_whatever_surrounds_it(pairs: list[tuple[str, str]]) -> None:
    """Keys and texts may have brackets, quotes, equals signs and number signs."""
    import json  # noqa: PLC0415 - its strings are TOML's, but for one character

    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

    lines = [f"{quoted(key)} = [ {quoted(value)}, {{ x = {quoted(value)} }} ] # [{{" for key, value in pairs]
    found = locate("\n# [[no]]\n" + "\n".join(lines) + "\n")
    assert {key: found[key,] for key, _ in pairs} == {key: number for number, (key, _) in enumerate(pairs, 3)}


def test_lines_of_tables_in_lists_are_found() -> None:
    """Each [[rule]] has its line, despite inner tables and multi-line texts."""
    text = 'a = """\nx\n"""\n[[rule]]\nb = 1\n[rule.where]\nc = 1\n[[rule]]\nb = [\n 1,\n 2,\n]\nd = { e = 1 }\n'
    found = locate(text)
    assert found["a",] == 1
    assert (found["rule", 0], found["rule", 0, "where", "c"], found["rule", 1]) == (4, 7, 8)
    assert (found["rule", 1, "b", 1], found["rule", 1, "d", "e"]) == (11, 13)


def test_an_empty_policy_is_unmatched() -> None:
    """An empty file is a valid policy that never passes. One machine or several make no difference."""
    made: Policy = policy("")
    for alone in (False, True):
        [one] = Auditor(made, alone=alone).audit(machine(), "here").findings
        assert (one.rule, one.outcome) == ("policy", "unmatched")
        assert one.message == "The policy has no rule for this host, so its state is unknown."
    assert only('raid_level="raid1"', machine()).outcome == "pass"
