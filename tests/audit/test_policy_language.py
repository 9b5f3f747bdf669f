"""What a policy can ask for, and what is answered; an unknown value never passes."""

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
def test_a_line_is_answered(line: str, outcome: str) -> None:
    """Each way to ask for something is answered by what the machine says of it."""
    assert only(line, machine()).outcome == outcome


def test_the_tool_s_own_words_can_be_asked_for() -> None:
    """A detail is a text like any other."""
    assert (
        only('details."Cache Ratio" = "25%*"', machine(volume(details={"Cache Ratio": "25% Read"}))).outcome == "pass"
    )


@pytest.mark.parametrize("status", ["unknown", None])
def test_an_unknown_word_is_no_value(status: str | None) -> None:
    """The word ``unknown`` and null are both what nobody told, whatever is asked of them."""
    level = machine(volume(raid_level=status))
    assert only('raid_level = "raid1"', level).outcome == "unknown"
    assert only('raid_level = { not = "raid1" }', level).outcome == "unknown"


def test_a_finding_says_field_wanted_actual_and_evidence() -> None:
    """What is found can be understood without looking at the policy again."""
    text = '[[rule]]\nfor="volume"\nrequire={raid_level="raid6"}\nreason="It was promised."\nremedy="Rebuild it."'
    found = only(text, machine())
    assert (found.where, found.device, found.mountpoints) == ("c:1/v1", "/dev/sda", ("/srv/db",))
    assert (found.field, found.wanted, found.actual) == ("raid_level", "raid6", "raid1")
    assert found.message == "raid_level: raid1, required: raid6 (It was promised)."
    assert (found.remedy, found.evidence) == ("Rebuild it.", ("raid_level = raid1",))


def test_of_several_fields_those_are_named_that_fail() -> None:
    """Where two of three fields are wrong, both are in the message, and no single one is the field."""
    found = only('[[rule]]\nfor="volume"\nrequire={raid_level="raid6",status="failed",device="/dev/*"}', machine())
    assert found.field is None
    assert "raid_level: raid1" in found.message
    assert "status: ok" in found.message
    assert "device" not in found.message


def test_where_chooses() -> None:
    """What a rule does not select it says nothing of."""
    text = '[[rule]]\nfor="volume"\nwhere={mountpoints="/srv/*"}\nrequire={raid_level="raid6"}'
    two = machine(volume(), volume(id="c:1/v2", mountpoints=("/",), device="/dev/sdb"))
    assert outcomes(text, two) == [("c:1/v1", "fail")]


def test_a_choice_that_cannot_be_told_is_unknown_only_where_it_would_not_pass() -> None:
    """An object that may be meant is no trouble as long as it is as it should be."""
    text = '[[rule]]\nfor="volume"\nwhere={name="x"}\nrequire={raid_level="%s"}'
    assert only(text % "raid1", machine()).outcome == "pass"
    found = only(text % "raid6", machine())
    assert found.outcome == "unknown"
    assert found.message == "Whether the rule applies is unknown: name not reported."


def test_mount_points_that_nobody_told_are_unknown() -> None:
    """A volume of a loose file has no device, and its empty list of mount points proves nothing."""
    assert only('mountpoints = "/srv/*"', machine(volume(device=None, mountpoints=()))).outcome == "unknown"
    assert only('mountpoints = "/srv/*"', machine(volume(mountpoints=()))).outcome == "fail"


def test_a_rule_that_selects_nothing_is_reported() -> None:
    """The number and name of the rule, and what it looked for, are said."""
    found = only('[[rule]]\nname="fast"\nfor="volume"\nwhere={raid_level="raid0"}\nrequire={status="ok"}', machine())
    assert found.outcome == "unmatched"
    assert found.message == 'rule 1 ("fast") matched no volume with raid_level raid0.'


def test_the_remedy_of_a_short_line_that_meets_no_volume_can_be_followed() -> None:
    """A line cannot say that it is optional: only a rule can, which is what it names."""
    found = only('raid_level = "raid6"', recorded("host-vm-virtio"))
    assert (found.outcome, found.message) == ("unmatched", 'the line "raid_level" matched no volume.')
    assert "write a [[rule]] with optional = true" in str(found.remedy)
    as_it_says = '[[rule]]\nfor = "volume"\nrequire = { raid_level = "raid6" }\noptional = true'
    assert audited(as_it_says, recorded("host-vm-virtio")).findings == ()


def test_an_optional_rule_may_select_nothing() -> None:
    """Who says that nothing to select is fine hears nothing."""
    text = '[[rule]]\nfor="volume"\nwhere={raid_level="raid0"}\nrequire={status="ok"}\noptional=true'
    assert outcomes(text, machine()) == []


@pytest.mark.parametrize(("count", "outcome"), [("3", "pass"), ("{min=1}", "pass"), ("{max=2}", "fail"), ("0", "fail")])
def test_objects_are_counted(count: str, outcome: str) -> None:
    """A rule with a count is about the number of objects on the machine."""
    found = only(f'[[rule]]\nfor="drive"\nwhere={{model="HARBOR"}}\ncount={count}', machine())
    assert (found.where, found.field, found.actual, found.outcome) == ("host", "count", "3", outcome)


def test_a_count_of_nothing_is_no_slip_of_the_pen() -> None:
    """``count = 0`` wants nothing to be selected."""
    assert outcomes('[[rule]]\nfor="volume"\nwhere={raid_level="raid0"}\ncount=0', machine()) == [("host", "pass")]


def test_objects_that_may_be_meant_make_a_count_unknown() -> None:
    """Two disks whose media nobody told may be the two that are missing."""
    drives = tuple(Drive(id=f"c:1/{n}", media="ssd" if n < 2 else None) for n in range(4))
    text = '[[rule]]\nfor="drive"\nwhere={media="ssd"}\ncount=%s'
    answers = {n: only(text % n, machine(drives=drives)).outcome for n in (1, 2, 4, 5)}
    assert answers == {1: "fail", 2: "unknown", 4: "unknown", 5: "fail"}


def test_what_could_not_be_read_may_hide_objects() -> None:
    """Behind a card that died there may be one more drive, so "exactly" and "none" cannot be told; "at least" can."""
    hidden = machine(problems=(UNREAD,))
    answers = {
        text: [one.outcome for one in audited(text, hidden, keep=True).findings if one.rule != "unread"]
        for text in ("drives = 2", "controller.drives = {count={min=3}}", 'drives = {none={media="ssd"}}')
    }
    assert list(answers.values()) == [["unknown"], ["pass"], ["unknown"]]


def test_what_could_not_be_read_is_said_and_can_be_ignored() -> None:
    """Everything that is shown passes, and yet the machine does not; unless the policy says so."""
    hidden = machine(problems=(UNREAD,))
    assert [one.rule for one in audited('raid_level = "raid1"', hidden).findings] == ["unread"]
    assert audited('raid_level = "raid1"\nignore = ["unread"]', hidden).findings == ()


def test_all_of_nothing_cannot_be_told() -> None:
    """An array whose drives nobody listed does not pass for having good ones only."""
    empty = machine(arrays=(Array(id="c:1/A"),))
    assert only('drives.status = "ok"', empty).outcome == "unknown"


def test_one_that_may_not_be_meant_is_no_proof_that_all_are_well() -> None:
    """Every SSD turns so fast: of a drive of which nobody told whether it is one, that says nothing."""
    drives = (Drive(id="c:1/a", rpm=10000), Drive(id="c:1/b", media="hdd", rpm=5400), Drive(id="c:1/s"))
    line = 'drives = { where = { media = "ssd" }, all = { rpm = 10000 } }'
    assert only(line, machine(drives=drives)).outcome == "unknown"


@pytest.mark.parametrize(
    ("card", "outcome"),
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
def test_the_battery_of_a_volume(card: dict[str, Any], outcome: str) -> None:
    """A battery line that is not there proves nothing, unless there can be no battery."""
    assert only('battery = "ok"', machine(**card)).outcome == outcome


@pytest.mark.parametrize(
    ("policy_word", "drives", "outcome"),
    [
        ("disabled", None, "pass"), ("disabled", "enabled", "fail"), ("default", None, "unknown"),
        (None, "disabled", "pass"), ("enabled", "disabled", "fail"),
    ],
)  # fmt: skip
def test_the_drives_caches_of_a_volume(policy_word: str | None, drives: str | None, outcome: str) -> None:
    """One drive with its cache on refutes the policy's word; the default says nothing."""
    kept = VolumeCache(drive_write_cache=policy_word)  # type: ignore[arg-type]  # the model's words
    told = tuple(Drive(id=f"c:1/{bay}", write_cache=drives) for bay in "abs")  # type: ignore[arg-type]  # as above
    found = only('drive_cache = "disabled"', machine(volume(cache=kept), drives=told))
    assert found.outcome == outcome


def test_a_protected_cache_over_a_dead_battery_is_not_protected() -> None:
    """What the tool says of its cache does not stand against what it says of its battery."""
    dead = machine(batteries=(Battery(id="b", status="failed"),))
    assert only('write_cache = "protected"', dead).outcome == "fail"


def test_relations_stay_on_their_own_controller() -> None:
    """A good battery on another card does not help a volume."""
    two = recorded("smartarray-gen10-failed-battery")
    assert {outcome for _, outcome in outcomes('battery = "ok"', two)} == {"fail"}


@pytest.mark.parametrize(
    "kind", ["host", "controller", "cache", "battery", "array", "volume", "drive", "problem", "tool"]
)
def test_every_kind_of_object_can_be_selected(kind: str) -> None:
    """On a recorded machine that has them all, a rule for each kind meets objects, and each object has a name."""
    field = {"host": "hostname", "cache": "present", "problem": "message", "tool": "name"}.get(kind, "id")
    text = f'[[rule]]\nfor="{kind}"\nrequire={{{field}={{known=true}}}}'
    found = outcomes(text, recorded("smartarray-gen9-degraded" if kind != "problem" else "lab-megasas"))
    assert found
    assert all(where for where, _ in found)


def test_a_volume_without_a_cache_of_its_own_cannot_be_told() -> None:
    """Software RAID has no write policy; whoever asks for one hears that it is not told."""
    assert only('cache.write_policy = "write_through"', machine(Volume(id="md:md0"))).outcome == "unknown"


def test_the_policy_has_one_set_of_rules_for_hosts_of_a_kind() -> None:
    """Ten thousand hosts do not make ten thousand sets."""
    made = policy('raid_level="raid1"\n[group.db]\nhosts=["db*"]\nraid_level="raid10"')
    assert made.for_host("db1") is made.for_host("db2") is not made.for_host("web1")
