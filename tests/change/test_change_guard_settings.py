"""The guard for settings other than the write policy, and contradictory settings."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path
from typing import get_args

import pytest

from raidctl.change.guard import unsafe
from raidctl.change.plan_inventory import contradictions
from raidctl.host import BlockDevice, HostView
from raidctl.model import Battery, BatteryStatus, Cache, Controller, Drive, Volume, VolumeCache
from raidctl.simulation import demo as demos
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl.vendor.registry import vendors
from tests.support.command_line import Raidctl
from tests.support.machines import replayed
from tests.support.over import over

STATES: tuple[BatteryStatus, ...] = get_args(BatteryStatus)


def controller_with(status: BatteryStatus | None, cache: Cache | None = None) -> Controller:
    """A controller with a battery in this status, or without one."""
    batteries = () if status is None else (Battery(id="acme:1/battery0", status=status),)
    volume = Volume(id="acme:1/v1", cache=VolumeCache(write_policy="write_through"))
    return Controller(id="acme:1", batteries=batteries, volumes=(volume,), cache=cache)


def refused(controller: Controller, setting: Setting, value: str) -> bool:
    """Whether a setting of the controller or volume is refused as unsafe."""
    name = controller.id if setting in ("cache_split", "no_battery_write_cache") else f"{controller.id}/v1"
    return unsafe(controller, Desired(object_id=name, setting=setting, value=value)) is not None


@pytest.mark.parametrize("status", [*STATES, None])
def test_cached_io_needs_a_good_battery(status: BatteryStatus | None) -> None:
    """Cached I/O needs a good battery. Whatever the write policy, it may keep writes in the cache."""
    assert refused(controller_with(status), "io_policy", "cached") == (status != "ok")
    assert not refused(controller_with(status), "io_policy", "direct")


@over("status, share, switch", [*itertools.product([*STATES, None], (None, 0, 75), (None, True, False))])
def test_enabling_the_cache_for_writes_needs_a_good_battery(
    status: BatteryStatus | None, share: int | None, switch: bool | None
) -> None:
    """With the no-battery cache, a first write share needs a good battery. A split of 100/0 keeps writes out."""
    cache = Cache(
        read_percent=None if share is None else 100 - share, write_percent=share, no_battery_write_cache=switch
    )
    opens = not share and switch is not False and status != "ok"
    assert refused(controller_with(status, cache), "cache_split", "25/75") == opens
    assert not refused(controller_with(status, cache), "cache_split", "100/0")


@pytest.mark.parametrize("status", [*STATES, None])
@pytest.mark.parametrize("value", ["enabled", "default"])
def test_caches_without_a_battery_are_always_refused(status: BatteryStatus | None, value: str) -> None:
    """The no-battery cache and drive caches are refused whatever the battery."""
    assert refused(controller_with(status), "no_battery_write_cache", value)
    assert refused(controller_with(status), "drive_write_cache", value)


def test_a_controller_without_a_cache_is_not_protected_by_its_battery() -> None:
    """Without a cache, a good battery protects nothing."""
    assert refused(controller_with("ok", Cache(present=False)), "write_policy", "protected_write_back")


LINKS = ("/dev/disk/by-id/ata-HARBOR",)
DISK = BlockDevice(name="sdb", node="/dev/sdb", kind="disk", links=LINKS)
PART = BlockDevice(name="sdb1", node="/dev/sdb1", kind="partition", parent="sdb", links=LINKS)


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ((DISK, BlockDevice(name="md0", node="/dev/md0", kind="md", slaves=("sdb",))), "/dev/md0"),
        ((DISK, PART, BlockDevice(name="dm-0", node="/dev/dm-0", kind="dm", slaves=("sdb1",))), "/dev/dm-0"),
        ((BlockDevice(name="sdb", node="/dev/sdb", kind="disk", mountpoints=("[swap]",)),), "[swap]"),
        ((BlockDevice(name="sdb", node="/dev/sdb", kind="disk", filesystem="zfs_member"),), "zfs_member"),
        (
            (
                DISK,
                BlockDevice(name="sdb1", node="/dev/sdb1", kind="partition", parent="sdb", filesystem="LVM2_member"),
            ),
            "LVM2_member",
        ),
        ((BlockDevice(name="sdb", node="/dev/sdb", kind="disk"),), "what /dev/sdb contains is unknown"),
        (
            (DISK, BlockDevice(name="sdb1", node="/dev/sdb1", kind="partition", parent="sdb")),
            "what /dev/sdb1 contains is unknown",
        ),
    ],
    ids=["md", "lvm-or-multipath", "swap", "zfs", "idle-lvm", "not-probed", "partition-not-probed"],
)
def test_the_cache_of_a_drive_in_use_is_not_enabled(blocks: tuple[BlockDevice, ...], why: str) -> None:
    """A drive can be in use without mount points. It is in use below another device, with swap, or with a signature."""
    controller = Controller(id="acme:1", drives=(Drive(id="acme:1/1", device="/dev/sdb", role="passthrough"),))
    desired = Desired(object_id="acme:1/1", setting="write_cache", value="enabled")
    assert why in (unsafe(controller, desired, HostView(blocks=blocks)) or "")
    assert unsafe(controller, desired, HostView(blocks=(DISK, PART))) is None


def test_without_the_udev_database_no_cache_of_a_drive_is_enabled() -> None:
    """Where nothing has probed the drives, a member of a ZFS pool looks like an unused drive."""
    seen = replayed("host-no-udev")
    plain = [(one, drive) for one in seen.inventory.controllers if one.mode == "none" for drive in one.drives]
    assert len(plain) == 2
    for controller, drive in plain:
        assert unsafe(controller, Desired(object_id=drive.id, setting="write_cache", value="enabled"), seen.view)


def test_the_cache_of_an_unknown_drive_is_not_enabled() -> None:
    """A drive whose use is unknown may be in use."""
    controller = Controller(id="acme:1", drives=(Drive(id="acme:1/1", device="/dev/sdb"),))
    desired = Desired(object_id="acme:1/1", setting="write_cache", value="enabled")
    assert "unknown" in (unsafe(controller, desired, HostView()) or "")


@pytest.mark.parametrize(
    ("switch", "policy"), [("enabled", "protected_write_back"), ("disabled", "unprotected_write_back")]
)
def test_contradictory_settings_are_refused_in_the_plan(switch: str, policy: str) -> None:
    """A controller's switch that contradicts its volume's write policy is refused. This happens before any command."""
    settings = (
        Desired(object_id="acme:1/v1", setting="write_policy", value=policy),
        Desired(object_id="acme:1", setting="no_battery_write_cache", value=switch),
    )
    assert [refusal.desired for refusal in contradictions(Plan(desired=settings))] == [settings[1]]
    assert [refusal.desired for refusal in contradictions(Plan(already=settings[:1], desired=settings))] == [
        settings[1]
    ]


def test_one_setting_of_one_object_has_one_value() -> None:
    """Two values for a setting are refused. The same value twice is accepted."""
    first = Desired(object_id="acme:1", setting="cache_split", value="25/75")
    other = Desired(object_id="acme:1", setting="cache_split", value="50/50")
    assert [refusal.desired for refusal in contradictions(Plan(desired=(first, other)))] == [other]
    assert not list(contradictions(Plan(desired=(first, first))))


@pytest.mark.parametrize(
    ("demo", "words"),
    [
        ("p400", ("/", "--write", "protected-write-back", "--no-battery-write-cache", "on")),
        ("p400", ("/", "--write", "unprotected-write-back", "--no-battery-write-cache", "off")),
    ],
)
def test_options_that_contradict_each_other_change_nothing(raidctl: Raidctl, demo: str, words: tuple[str, ...]) -> None:
    """The exit code is 1, and the journal is empty. This also holds with --unsafe."""
    done = raidctl("--demo", demo, "cache", "set", *words, "--yes", "--unsafe", "a trial")
    assert done.exit_code == 1
    assert "Contradiction" in done.stdout
    assert "No change made" in done.stdout
    assert "The journal is empty" in raidctl("--demo", demo, "journal").stdout


def test_protected_write_back_without_a_battery_needs_a_reason(raidctl: Raidctl) -> None:
    """Protected write-back without a battery is configured only with a reason.

    A warning reports that write-through is active.
    """
    asked = ("--demo", "h730", "cache", "set", "megaraid:0/v0", "--write", "protected-write-back", "--yes")
    assert raidctl(*asked).exit_code == 1
    done = raidctl(*asked, "--unsafe", "the battery comes tomorrow")
    assert done.exit_code == 0
    assert "Warning: megaraid:0/v0 is set to protected-write-back, but write-through is active" in done.stderr


def test_a_configured_but_inactive_policy_is_a_failure(raidctl: Raidctl) -> None:
    """The exit code is 1, although nothing needs to be changed. A batch does not start its load."""
    asked = ("megaraid:0/v0", "--write", "protected-write-back", "--yes")
    raidctl("--demo", "h730", "cache", "set", *asked, "--unsafe", "the battery comes tomorrow")
    done = raidctl("--demo", "h730", "cache", "set", *asked)
    assert done.exit_code == 1
    assert "No change needed" not in done.stdout
    assert "Not active" in done.stdout
    words = " ".join(done.stdout.split())
    assert words.count("megaraid:0/v0") == 1
    assert "It is already configured, but write-through is active" in words
    assert re.search(r"`raidctl --demo h730 --state-dir \S+ diagnose` shows how", words)
    assert raidctl("--demo", "h730", "batch", *asked, "--", "false").exit_code == 1
    known = raidctl("--demo", "h730", "cache", "set", *asked, "--unsafe", "known")
    assert known.exit_code == 0
    assert "Warning: megaraid:0/v0 is set to protected-write-back" in known.stdout


def test_a_policy_of_which_no_tool_reports_whether_it_is_active_is_not_verified(
    raidctl: Raidctl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change, a batch, and a policy that is configured already are done with a warning."""
    recorded = demos.path_of("p400", vendors()[0])
    own = shutil.copytree(recorded, tmp_path / "p400")
    output = own / "hpacucli-ctrl-all-show-config-detail.out"
    of_cache = re.compile(r"   (Cache Board Present|Cache Status|Cache Serial|Accelerator Ratio|Total Cache|No-Batt)")
    lines = output.read_text().splitlines(keepends=True)
    output.write_text("".join(line for line in lines if not of_cache.match(line)))
    monkeypatch.setattr(demos, "_paths", lambda _: {"p400": own})
    words = ("--demo", "p400", "cache", "set", "v1", "--yes", "--write")
    doubt = "does not report whether protected-write-back is active"
    same = raidctl(*words, "protected-write-back")
    assert (same.exit_code, doubt in " ".join(same.stdout.split())) == (0, True)
    assert "Done and verified" in raidctl(*words, "write-through").stderr
    batch = raidctl("--demo", "p400", "batch", "v1", "--write", "protected-write-back", "--yes", "--", "true").stderr
    assert (doubt in batch, "The policy is active" in batch) == (True, False)
    done = raidctl(*words, "protected-write-back")
    assert (done.exit_code, doubt in done.stderr) == (0, True)
    assert "Done; whether it is active is not reported" in done.stderr


def test_restoring_write_back_on_a_failed_battery_prints_a_warning(raidctl: Raidctl) -> None:
    """The previous unprotected write-back is restored, with a warning about data loss."""
    demo = ("--demo", "h730")
    raidctl(*demo, "cache", "set", "megaraid:0/v0", "--write", "unprotected-write-back", "--yes", "--unsafe", "scratch")
    done = raidctl(*demo, "batch", "megaraid:0/v0", "--write", "write-through", "--yes", "--", "true")
    assert done.exit_code == 0
    assert "a power failure loses data" in done.stderr
