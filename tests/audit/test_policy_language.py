"""Conditions of a policy and their results; an unknown value never passes."""

from __future__ import annotations

from typing import Any

import pytest

from raidctl.model import Array, Battery, Cache, Drive, Problem, Volume, VolumeCache
from tests.audit.policies import audited, machine, only, outcomes, policy, recorded, volume
from tests.support.over import over

UNREAD = Problem(severity="error", where="c:1", message="It died.", kind="unread")


@over(
    "line, outcome",
    [
        ('raid_level = "raid1"', "pass"),
        ('raid_level = "raid6"', "fail"),
        ('raid_level = ["raid6", "raid1"]', "pass"),
        ('raid_level = "raid1*"', "pass"),
        ('raid_level = { not = "raid1" }', "fail"),
        ('raid_level = { not = ["raid0", "raid5"] }', "pass"),
        ("layout = { known = true }", "fail"),
        ("layout = { known = false }", "pass"),
        ('layout = "near=2"', "unknown"),
        ('layout = { not = "near=2" }', "unknown"),
        ('size_bytes = "4TB"', "pass"),
        ('size_bytes = "4.2TB"', "fail"),
        ("size_bytes = 4000787030016", "pass"),
        ("size_bytes = 4000787030000", "fail"),
        ('size_bytes = { min = "1TB", max = "5TB" }', "pass"),
        ('size_bytes = { max = "1TB" }', "fail"),
        ('strip_bytes = "256KB"', "pass"),
        ('strip_bytes = "255KiB"', "fail"),
        ('mountpoints = "/srv/*"', "pass"),
        ('mountpoints = { not = "/srv/*" }', "fail"),
        ("mountpoints = { count = 1 }", "pass"),
        ('mountpoints = { is = "/srv/*" }', "fail"),
        ('battery = "ok"', "pass"),
        ('write_cache = "protected"', "pass"),
        ('cache_split = "25/75"', "pass"),
        ('cache_split = "50/50"', "fail"),
        ('drive_cache = "disabled"', "unknown"),
        ('controller.cache.size_bytes = { min = "512MB" }', "pass"),
        ("controller.cache.read_percent = '25%'", "pass"),
        ('cache.io_policy = "direct"', "unknown"),
        ("spares = 1", "pass"),
        ("drives = { count = { min = 3 } }", "fail"),
        ('drives.media = "hdd"', "pass"),
        ('drives = { any = { media = "ssd" } }', "fail"),
        ('drives = { none = { media = "ssd" } }', "pass"),
        ('drives = { all = { media = "hdd" }, count = 2 }', "pass"),
        ('drives = { where = { model = "HARBOR" }, count = 2 }', "pass"),
        ('drives = { where = { model = "HARBOR" }, count = 3 }', "fail"),
        ("drives.model = { same = true }", "pass"),
        ("drives.rpm = { same = true }", "unknown"),
        ("drives.rpm = 10000", "unknown"),
        ('array = "c:1/A"', "pass"),
        ('array.drives.model = "HARBOR"', "pass"),
        ('controller.batteries = { any = { status = "ok", replace = false } }', "pass"),
        ('raid_level = { field = "status" }', "fail"),
        ('details."Cache Ratio" = "25%*"', "unknown"),
    ],
)
def test_a_line_is_evaluated(line: str, outcome: str) -> None:
    """Each form of condition is evaluated against the machine's values."""
    assert only(line, machine()).outcome == outcome


def test_details_of_a_tool_can_be_required() -> None:
    """A detail is compared like any other text."""
    assert (
        only('details."Cache Ratio" = "25%*"', machine(volume(details={"Cache Ratio": "25% Read"}))).outcome == "pass"
    )


@pytest.mark.parametrize("status", ["unknown", None])
def test_unknown_and_null_are_no_value(status: str | None) -> None:
    """Any condition on ``unknown`` or null is UNKNOWN."""
    level = machine(volume(raid_level=status))
    assert only('raid_level = "raid1"', level).outcome == "unknown"
    assert only('raid_level = { not = "raid1" }', level).outcome == "unknown"


def test_a_finding_has_field_wanted_actual_and_evidence() -> None:
    """A finding can be understood without the policy."""
    text = '[[rule]]\nfor="volume"\nrequire={raid_level="raid6"}\nreason="It was promised."\nremedy="Rebuild it."'
    found = only(text, machine())
    assert (found.where, found.device, found.mountpoints) == ("c:1/v1", "/dev/sda", ("/srv/db",))
    assert (found.field, found.wanted, found.actual) == ("raid_level", "raid6", "raid1")
    assert found.message == "raid_level: raid1, required: raid6 (It was promised)."
    assert (found.remedy, found.evidence) == ("Rebuild it.", ("raid_level = raid1",))


def test_only_the_fields_that_fail_are_named() -> None:
    """If two of three fields fail, the message has both. Then ``field`` is empty."""
    found = only('[[rule]]\nfor="volume"\nrequire={raid_level="raid6",status="failed",device="/dev/*"}', machine())
    assert found.field is None
    assert "raid_level: raid1" in found.message
    assert "status: ok" in found.message
    assert "device" not in found.message


def test_where_chooses() -> None:
    """Objects that a rule does not select have no finding."""
    text = '[[rule]]\nfor="volume"\nwhere={mountpoints="/srv/*"}\nrequire={raid_level="raid6"}'
    two = machine(volume(), volume(id="c:1/v2", mountpoints=("/",), device="/dev/sdb"))
    assert outcomes(text, two) == [("c:1/v1", "fail")]


def test_an_unknown_selection_is_unknown_only_if_the_object_would_fail() -> None:
    """An object that may be selected passes if it meets the requirement."""
    text = '[[rule]]\nfor="volume"\nwhere={name="x"}\nrequire={raid_level="%s"}'
    assert only(text % "raid1", machine()).outcome == "pass"
    found = only(text % "raid6", machine())
    assert found.outcome == "unknown"
    assert found.message == "Whether the rule applies is unknown: name not reported."


def test_mount_points_of_a_volume_without_a_device_are_unknown() -> None:
    """Without a device, an empty list of mount points proves nothing."""
    assert only('mountpoints = "/srv/*"', machine(volume(device=None, mountpoints=()))).outcome == "unknown"
    assert only('mountpoints = "/srv/*"', machine(volume(mountpoints=()))).outcome == "fail"


def test_a_rule_that_selects_nothing_is_reported() -> None:
    """The message has the rule's number, its name and its selection."""
    found = only('[[rule]]\nname="fast"\nfor="volume"\nwhere={raid_level="raid0"}\nrequire={status="ok"}', machine())
    assert found.outcome == "unmatched"
    assert found.message == 'rule 1 ("fast") matched no volume with raid_level raid0.'


def test_the_remedy_of_a_line_that_matches_nothing_can_be_followed() -> None:
    """Only a [[rule]] can be optional, so the remedy advises one."""
    found = only('raid_level = "raid6"', recorded("host-vm-virtio"))
    assert (found.outcome, found.message) == ("unmatched", 'the line "raid_level" matched no volume.')
    assert "write a [[rule]] with optional = true" in str(found.remedy)
    as_advised = '[[rule]]\nfor = "volume"\nrequire = { raid_level = "raid6" }\noptional = true'
    assert audited(as_advised, recorded("host-vm-virtio")).findings == ()


def test_an_optional_rule_may_select_nothing() -> None:
    """An optional rule that selects nothing has no finding."""
    text = '[[rule]]\nfor="volume"\nwhere={raid_level="raid0"}\nrequire={status="ok"}\noptional=true'
    assert outcomes(text, machine()) == []


@pytest.mark.parametrize(("count", "outcome"), [("3", "pass"), ("{min=1}", "pass"), ("{max=2}", "fail"), ("0", "fail")])
def test_objects_are_counted(count: str, outcome: str) -> None:
    """A rule with a count compares the number of selected objects."""
    found = only(f'[[rule]]\nfor="drive"\nwhere={{model="HARBOR"}}\ncount={count}', machine())
    assert (found.where, found.field, found.actual, found.outcome) == ("host", "count", "3", outcome)


def test_a_count_of_zero_is_valid() -> None:
    """``count = 0`` requires that nothing is selected."""
    assert outcomes('[[rule]]\nfor="volume"\nwhere={raid_level="raid0"}\ncount=0', machine()) == [("host", "pass")]


def test_objects_that_may_be_selected_make_a_count_unknown() -> None:
    """Two drives of unknown media may be the two that are missing."""
    drives = tuple(Drive(id=f"c:1/{n}", media="ssd" if n < 2 else None) for n in range(4))
    text = '[[rule]]\nfor="drive"\nwhere={media="ssd"}\ncount=%s'
    answers = {n: only(text % n, machine(drives=drives)).outcome for n in (1, 2, 4, 5)}
    assert answers == {1: "fail", 2: "unknown", 4: "unknown", 5: "fail"}


def test_what_could_not_be_read_may_hide_objects() -> None:
    """An unread controller makes "exactly" and "none" UNKNOWN, but not "at least"."""
    hidden = machine(problems=(UNREAD,))
    answers = {
        text: [one.outcome for one in audited(text, hidden, keep=True).findings if one.rule != "unread"]
        for text in ("drives = 2", "controller.drives = {count={min=3}}", 'drives = {none={media="ssd"}}')
    }
    assert list(answers.values()) == [["unknown"], ["pass"], ["unknown"]]


def test_what_could_not_be_read_is_reported_and_can_be_ignored() -> None:
    """A machine with an unread part passes only if ``unread`` is ignored. The policy has to ignore it."""
    hidden = machine(problems=(UNREAD,))
    assert [one.rule for one in audited('raid_level = "raid1"', hidden).findings] == ["unread"]
    assert audited('raid_level = "raid1"\nignore = ["unread"]', hidden).findings == ()


def test_a_condition_on_all_drives_of_an_empty_list_is_unknown() -> None:
    """An array without listed drives passes no condition on all of them."""
    empty = machine(arrays=(Array(id="c:1/A"),))
    assert only('drives.status = "ok"', empty).outcome == "unknown"


def test_a_drive_that_may_not_be_selected_proves_nothing() -> None:
    """An unknown medium does not prove that all SSDs match. The drive has a matching rpm."""
    drives = (Drive(id="c:1/a", rpm=10000), Drive(id="c:1/b", media="hdd", rpm=5400), Drive(id="c:1/s"))
    line = 'drives = { where = { media = "ssd" }, all = { rpm = 10000 } }'
    assert only(line, machine(drives=drives)).outcome == "unknown"


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"batteries": ()}, "unknown"),
        ({"batteries": (), "cache": Cache(present=False)}, "fail"),
        ({"batteries": (), "mode": "software", "cache": None}, "fail"),
        ({"batteries": (Battery(id="b", status="ok", replace=True),)}, "fail"),
        ({"batteries": (Battery(id="b", status="failed"), Battery(id="a", status="ok"))}, "pass"),
        ({"batteries": (Battery(id="b", status="learning"),)}, "fail"),
        ({"batteries": (Battery(id="b", status="unknown"),)}, "unknown"),
    ],
)
def test_the_battery_of_a_volume(fields: dict[str, Any], outcome: str) -> None:
    """An unlisted battery is UNKNOWN, unless the controller has no cache."""
    assert only('battery = "ok"', machine(**fields)).outcome == outcome


@pytest.mark.parametrize(
    ("policy_word", "drives", "outcome"),
    [
        ("disabled", None, "pass"), ("disabled", "enabled", "fail"), ("default", None, "unknown"),
        (None, "disabled", "pass"), ("enabled", "disabled", "fail"),
    ],
)  # fmt: skip
def test_the_drives_caches_of_a_volume(policy_word: str | None, drives: str | None, outcome: str) -> None:
    """One drive with its cache enabled outranks the configured policy. ``default`` is UNKNOWN."""
    kept = VolumeCache(drive_write_cache=policy_word)  # type: ignore[arg-type]  # the model's words
    listed = tuple(Drive(id=f"c:1/{bay}", write_cache=drives) for bay in "abs")  # type: ignore[arg-type]  # as above
    found = only('drive_cache = "disabled"', machine(volume(cache=kept), drives=listed))
    assert found.outcome == outcome


def test_a_protected_cache_over_a_dead_battery_is_not_protected() -> None:
    """A failed battery outranks a cache that the tool calls protected."""
    dead = machine(batteries=(Battery(id="b", status="failed"),))
    assert only('write_cache = "protected"', dead).outcome == "fail"


def test_relations_stay_on_the_same_controller() -> None:
    """A good battery of another controller does not count."""
    two = recorded("smartarray-gen10-failed-battery")
    assert {outcome for _, outcome in outcomes('battery = "ok"', two)} == {"fail"}


@pytest.mark.parametrize(
    "kind", ["host", "controller", "cache", "battery", "array", "volume", "drive", "problem", "tool"]
)
def test_every_kind_of_object_can_be_selected(kind: str) -> None:
    """A rule for each kind matches objects. Each object has an id."""
    field = {"host": "hostname", "cache": "present", "problem": "message", "tool": "name"}.get(kind, "id")
    text = f'[[rule]]\nfor="{kind}"\nrequire={{{field}={{known=true}}}}'
    found = outcomes(text, recorded("smartarray-gen9-degraded" if kind != "problem" else "lab-megasas"))
    assert found
    assert all(where for where, _ in found)


def test_the_write_policy_of_software_raid_is_unknown() -> None:
    """A condition on the write policy of software RAID is UNKNOWN."""
    assert only('cache.write_policy = "write_through"', machine(Volume(id="md:md0"))).outcome == "unknown"


def test_hosts_of_the_same_groups_share_their_rules() -> None:
    """Hosts of the same groups share one set of rules."""
    made = policy('raid_level="raid1"\n[group.db]\nhosts=["db*"]\nraid_level="raid10"')
    assert made.for_host("db1") is made.for_host("db2") is not made.for_host("web1")
