"""Lists that may be incomplete: nothing is concluded from an object that is not listed."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from raidctl.model import Battery, Block, Cache, Controller, ForeignGroup, Inventory, PreservedCache, Problem
from tests.audit.policies import audited, machine, mistakes, only, volume


def rule(kind: str, *lines: str) -> str:
    """A policy of one rule."""
    return "\n".join(["[[rule]]", f'for = "{kind}"', *lines])


NO_PRESERVED = rule("controller", "require = { preserved = { count = 0 } }")
NO_FOREIGN = rule("controller", "require = { foreign_groups = { count = 0 } }")
NONE_FAILED = rule("battery", 'where = { status = ["failed", "missing"] }', "count = 0")
NONE_FAILED_HERE = rule("host", 'require = { batteries = { none = { status = "failed" } } }')
NONE_PRESERVES = rule("cache", "where = { preserved_data = true }", "count = 0")
GOOD = Battery(id="x:0/battery0", status="ok")


@pytest.mark.parametrize(
    ("policy", "fields", "outcome"),
    [
        (NO_PRESERVED, {"cache": Cache(preserved_data=True)}, "unknown"),
        (NO_PRESERVED, {"cache": Cache()}, "unknown"),
        (NO_PRESERVED, {"cache": Cache(preserved_data=False)}, "pass"),
        (NO_PRESERVED, {"cache": Cache(present=False)}, "pass"),
        (NO_PRESERVED, {"preserved": (PreservedCache(volume="c:1/v9"),)}, "fail"),
        (NO_FOREIGN, {"foreign": True}, "unknown"),
        (NO_FOREIGN, {}, "unknown"),
        (NO_FOREIGN, {"foreign": False}, "pass"),
        (NO_FOREIGN, {"foreign_groups": (ForeignGroup(number="0"),)}, "fail"),
        (NONE_FAILED, {"batteries": ()}, "unknown"),
        (NONE_FAILED, {"batteries": (GOOD,)}, "pass"),
        (NONE_FAILED, {"batteries": (), "cache": Cache(present=False)}, "pass"),
        (NONE_FAILED, {"batteries": (structs.replace(GOOD, status="failed"),)}, "fail"),
        (NONE_FAILED_HERE, {"batteries": ()}, "unknown"),
        (NONE_FAILED_HERE, {"batteries": (GOOD,)}, "pass"),
        (NONE_PRESERVES, {"cache": None}, "unknown"),
        (NONE_PRESERVES, {"cache": Cache(preserved_data=False)}, "pass"),
    ],
)
def test_what_no_tool_lists_may_be_there(policy: str, fields: dict[str, Any], outcome: str) -> None:
    """A list passes only if a fact shows that it is complete."""
    assert only(policy, machine(**fields)).outcome == outcome


@pytest.mark.parametrize(
    ("where", "outcome"),
    [
        ("acmecli ctrl all show", "unknown"),
        ("/opt/acme/acmecli /c1 show all", "unknown"),
        ("acmecli /c2 show all", "pass"),
        ("acmecli smart /dev/sda", "pass"),
        ("othercli show", "pass"),
        ("c:1", "unknown"),
        ("c:2", "pass"),
    ],
)
def test_a_failed_command_of_its_tool_makes_the_lists_of_a_controller_incomplete(where: str, outcome: str) -> None:
    """A rule does not pass for what a cut-off output may hide, but for the lists of other controllers."""
    problem = Problem("error", where, "The output is cut off.", kind="unread")
    found = machine(told_by="acmecli", problems=(problem,))
    text = rule("controller", 'require = { volumes = { none = { raid_level = "raid0" } } }')
    [one] = [each for each in audited(text, found, keep=True).findings if each.rule != "unread"]
    assert one.outcome == outcome


@pytest.mark.parametrize(
    ("where", "incomplete"),
    [
        ("acmecli ctrl all show", ["c:1", "c:2"]),
        ("acmecli /c2 show all", ["c:2"]),
        ("acmecli ctrl slot=2 show", ["c:2"]),
        ("acmecli getconfig 1", ["c:1"]),
        ("acmecli -ldinfo -l1 -a2", ["c:1", "c:2"]),  # either number may be the controller's
        ("acmecli getconfig 3", ["c:1", "c:2"]),  # no controller that is listed
        ("acmecli12 show", ["c:1", "c:2"]),
    ],
)
def test_a_failed_command_with_the_number_of_one_controller_is_about_that_one(
    where: str, incomplete: list[str]
) -> None:
    """A command is about another controller only if it certainly has that one's number, and not this one's."""
    problem = Problem("error", where, "The output is cut off.", kind="unread")
    found = machine(told_by=where.split(maxsplit=1)[0], problems=(problem,))
    [one] = found.controllers
    both = structs.replace(found, controllers=(one, structs.replace(one, id="c:2")))
    text = rule("controller", 'require = { volumes = { none = { raid_level = "raid0" } } }')
    findings = [each for each in audited(text, both, keep=True).findings if each.rule != "unread"]
    assert [each.where for each in findings if each.outcome == "unknown"] == incomplete
    assert {each.outcome for each in findings} <= {"pass", "unknown"}


@pytest.mark.parametrize(("device", "outcome"), [(None, "unknown"), ("/dev/sda", "pass")])
@pytest.mark.parametrize("name", ["mounts", "layers", "mountpoints"])
def test_what_only_the_kernel_knows_is_unknown_without_it(name: str, device: str | None, outcome: str) -> None:
    """A BMC sees no mounts and no layers."""
    found = machine(volume(device=device, mountpoints=(), block=Block() if device else None))
    none = rule("volume", f"require = {{ {name} = {{ count = 0 }} }}")
    assert only(none, found).outcome == outcome
    # a tool's output that was saved without its machine
    assert only(none, structs.replace(found, host=structs.replace(found.host, hostname=None))).outcome == "unknown"


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("{ count = 0 }", "unknown"),
        ('{ not = "*" }', "unknown"),
        ('"tank/*"', "unknown"),
        ("{ known = false }", "pass"),
    ],
)
def test_a_list_that_was_not_read_is_unknown(condition: str, outcome: str) -> None:
    """An inventory has null for what ``zfs get`` did not print."""
    assert only(f"sync_disabled = {condition}", machine(volume(sync_disabled=None))).outcome == outcome


@pytest.mark.parametrize(("expected", "outcome"), [(3, "unknown"), (2, "pass"), (None, "pass")])
def test_the_members_of_an_array_that_lacks_one_are_incomplete(expected: int | None, outcome: str) -> None:
    """A drive that is missing is not one that works."""
    found = machine(volume(status="degraded", drives_expected=expected))
    assert only(rule("volume", 'require = { "array.drives" = { all = { status = "ok" } } }'), found).outcome == outcome


@pytest.mark.parametrize(
    "line",
    [
        "require = {}", "require = { cache = {} }", "require = { not = {} }", "require = { any_of = [{}] }",
        "require = { details = {} }", 'require = { status = "ok" }\nwhere = { cache = {} }',
        "require = { drives = { all = { errors = {} } } }",
    ],
)  # fmt: skip
def test_an_empty_table_is_a_mistake(line: str) -> None:
    """It would require nothing, and pass: a line of it was perhaps commented out."""
    assert any("this table is empty" in one for one in mistakes(rule("volume", line)))


def test_a_battery_that_must_be_replaced_is_degraded_while_it_charges() -> None:
    """The short form is as strict as its page."""
    policy = 'battery = ["ok", "learning", "charging"]'
    for status in ("ok", "learning", "charging"):
        bad = structs.replace(GOOD, status=status, replace=True)
        for battery, outcome in ((bad, "fail"), (structs.replace(bad, replace=False), "pass")):
            found = machine(batteries=(battery,))
            assert only(policy, found).outcome == outcome, battery


def test_names_of_hosts_have_no_capitals() -> None:
    """A group's pattern matches a host name whatever its capitals are."""
    policy = '[group.db]\nhosts = ["DB*"]\nraid_level = "raid6"'
    for name in ("db7.example.org", "DB7.example.org"):
        found = machine(volume(raid_level="raid0"))
        host = structs.replace(found.host, hostname=name)
        assert only(policy, structs.replace(found, host=host)).outcome == "fail"


def test_no_controller_of_software_needs_a_battery() -> None:
    """Plain drives and software arrays have no battery, no cache and no foreign configuration."""
    plain = Inventory(host=machine().host, controllers=(Controller(id="drives:0", mode="none"),))
    for policy in (NONE_FAILED, NONE_PRESERVES, NO_PRESERVED, NO_FOREIGN):
        assert only(policy, plain).outcome == "pass"


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ('not = "/boot"', "fail"),
        ('not = "/boot", known = true', "fail"),
        ('not = "/boot", any_of = ["/", "/srv/*"]', "fail"),
        ('not = "/boot", count = 2', "fail"),
        ('not = "/srv/*", known = true', "pass"),
        ('not = "/srv/*", is = "/"', "pass"),
        ('not = "/srv/*", is = "/home"', "fail"),
    ],
)
def test_not_is_about_every_element_also_beside_other_conditions(condition: str, outcome: str) -> None:
    """With ``not``, no element of a list of strings may match, whatever other conditions are beside it."""
    assert only(f"mountpoints = {{ {condition} }}", machine(volume(mountpoints=("/", "/boot")))).outcome == outcome
