"""The commands that change the cache of a Smart Array controller."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from raidctl.model import Cache, Controller, Tool, VolumeCache
from raidctl.model.inventory import Mode
from raidctl.request import RunAnswer
from raidctl.simulation.demo import machine
from raidctl.survey.survey import survey
from raidctl.vendor.plan import Action, Desired, Plan, Setting
from raidctl.vendor.registry import vendors
from raidctl_smartarray import change

VENDORS = vendors()[0]
TOOLS = [Tool(name=name, path=f"/usr/sbin/{name}") for name in ("ssacli", "hpssacli", "hpacucli")]


def simulated_controller(demo: str, place: Path) -> Controller:
    """The controller of a simulated machine."""
    found = survey(machine(demo, VENDORS, place), VENDORS).inventory.controllers
    return next(controller for controller in found if controller.id.startswith("smartarray:"))


@pytest.fixture
def p400(tmp_path: Path) -> Controller:
    """A P400: one RAID-5 with caching on, 25/75."""
    return simulated_controller("p400", tmp_path)


def planned(controller: Controller, object_id: str, setting: Setting, value: str) -> Plan:
    """The plan for one desired setting."""
    return change.plan(controller, [Desired(object_id=object_id, setting=setting, value=value)], TOOLS)


def commands(plan: Plan) -> list[str]:
    """The commands of a plan."""
    return [str(step.action) for step in plan.steps]


def test_the_tool_that_reported_the_controller_is_used(p400: Controller) -> None:
    """Of three installed tools, the one that reports the controller changes it."""
    assert commands(planned(p400, p400.id, "cache_split", "50/50")) == [
        "hpacucli ctrl slot=1 modify cacheratio=50/50 forced"
    ]


def test_write_through_disables_caching_and_reports_the_effect_on_reads(p400: Controller) -> None:
    """The controller switches read and write caching together."""
    [step] = planned(p400, "smartarray:1/v1", "write_policy", "write_through").steps
    assert step.action.argv[-2:] == ("arrayaccelerator=disable", "forced")
    assert "Reads" in step.affects[0]


def test_unprotected_write_back_goes_through_the_whole_controller(p400: Controller) -> None:
    """The no-battery write cache acts on all volumes."""
    plan = planned(p400, "smartarray:1/v1", "write_policy", "unprotected_write_back")
    assert [(step.setting, step.after) for step in plan.steps] == [("nobatterywritecache", "enable")]
    assert "all volumes" in plan.steps[0].affects[0]


def test_ssd_smart_path_is_switched_off_first(tmp_path: Path) -> None:
    """Caching is refused while SSD Smart Path is enabled."""
    plan = planned(simulated_controller("gen10", tmp_path), "smartarray:0/v1", "write_policy", "protected_write_back")
    assert [step.setting for step in plan.steps] == ["ssdsmartpath", "arrayaccelerator"]
    assert plan.steps[0].object_id == "smartarray:0/A"


def test_the_new_wording_of_the_drives_cache_names_the_use(tmp_path: Path) -> None:
    """Gen10 has a cache setting for each use of the drives."""
    controller = simulated_controller("gen10", tmp_path)
    [command] = commands(planned(controller, controller.volumes[0].id, "drive_write_cache", "enabled"))
    assert command.endswith("modify drivewritecache=enable usage=configured forced")


def test_the_old_wording_of_the_drives_cache_names_no_use(p400: Controller) -> None:
    """Older controllers have one setting for all drives."""
    [command] = commands(planned(p400, "smartarray:1/v1", "drive_write_cache", "enabled"))
    assert command.endswith("modify drivewritecache=enable forced")


@pytest.mark.parametrize("size", ["0", "8", "24", "1056", "99999999", "many"])
def test_an_invalid_threshold_is_refused(tmp_path: Path, size: str) -> None:
    """The bypass threshold is 16 to 1040 KiB in steps of 16."""
    controller = simulated_controller("gen10", tmp_path)
    assert planned(controller, controller.id, "bypass_threshold", size).refusals


def test_a_threshold_is_set_in_kib(tmp_path: Path) -> None:
    """The command gives the bypass threshold in KiB."""
    controller = simulated_controller("gen10", tmp_path)
    [step] = planned(controller, controller.id, "bypass_threshold", "512").steps
    assert (step.before, step.action.argv[-2]) == ("1040", "writecachebypassthreshold=512")


def test_unchanged_is_no_default(tmp_path: Path) -> None:
    """The tool's word "unchanged" is restored as such."""
    simulated = machine("gen10", VENDORS, tmp_path)
    simulated.keep(simulated.state() | {"slot=0/drivewritecache": "unchanged"})
    [controller] = [c for c in survey(simulated, VENDORS).inventory.controllers if c.id == "smartarray:0"]
    [step] = planned(controller, controller.volumes[0].id, "drive_write_cache", "disabled").steps
    assert (step.before, step.undo.argv[-3]) == ("unchanged", "drivewritecache=unchanged")


@pytest.mark.parametrize(
    ("object_id", "setting", "value"),
    [
        ("smartarray:1", "cache_split", "50/60"),
        ("smartarray:1", "cache_split", "fifty"),
        ("smartarray:1", "no_battery_write_cache", "default"),
        ("smartarray:1", "no_battery_write_cache", "perhaps"),
        ("smartarray:1/v1", "drive_write_cache", "perhaps"),
    ],
)
def test_an_invalid_value_is_refused(p400: Controller, object_id: str, setting: Setting, value: str) -> None:
    """An invalid value is refused before any command runs."""
    plan = planned(p400, object_id, setting, value)
    assert (plan.steps, [refusal.kind for refusal in plan.refusals]) == ((), ["unsupported"])


@pytest.mark.parametrize("setting", ["cache_split", "no_battery_write_cache", "drive_write_cache", "bypass_threshold"])
def test_what_acts_on_the_whole_controller_is_reported(tmp_path: Path, setting: Setting) -> None:
    """A step that affects all volumes reports it. Its object is the controller."""
    p440 = simulated_controller("p440", tmp_path / "p440")
    values: dict[Setting, str] = {"cache_split": "50/50", "bypass_threshold": "512"}
    whole = simulated_controller("gen10", tmp_path / "gen10") if setting == "bypass_threshold" else p440
    asked = whole.volumes[0].id if setting == "drive_write_cache" else whole.id
    [step] = planned(whole, asked, setting, values.get(setting, "enabled")).steps
    assert (step.object_id, "all" in step.affects[0], step.persistent) == (whole.id, True, True)


@pytest.mark.parametrize(("policy", "order"), [
    ("write_through", ["cacheratio", "arrayaccelerator"]), ("protected_write_back", ["arrayaccelerator", "cacheratio"]),
])  # fmt: skip
@pytest.mark.parametrize("direction", [1, -1])
def test_a_split_is_set_while_a_volume_uses_the_cache(
    p400: Controller, policy: str, order: list[str], direction: int
) -> None:
    """The split is set only while some volume uses the cache."""
    on = policy == "write_through"
    cache = VolumeCache(write_policy="protected_write_back" if on else "write_through")
    volume = msgspec.structs.replace(p400.volumes[0], cache=cache)
    desired = [
        Desired(object_id=p400.id, setting="cache_split", value="50/50"),
        Desired(object_id=volume.id, setting="write_policy", value=policy),
    ]
    plan = change.plan(msgspec.structs.replace(p400, volumes=(volume,)), desired[::direction], TOOLS)
    assert [step.setting for step in plan.steps] == order


def test_a_split_is_refused_with_the_last_caching_switched_off(p400: Controller) -> None:
    """A split is refused without a caching volume. The tool then shows no split, so it could not be verified."""
    desired = [
        Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through"),
        Desired(object_id="smartarray:1", setting="cache_split", value="50/50"),
    ]
    assert [refusal.desired.setting for refusal in change.plan(p400, desired, TOOLS).refusals] == ["cache_split"]


def test_two_volumes_cannot_differ_in_protection(tmp_path: Path) -> None:
    """The no-battery write cache is one setting for all volumes."""
    whole = simulated_controller("p440", tmp_path)
    values = ("protected_write_back", "unprotected_write_back")
    desired = [
        Desired(object_id=volume.id, setting="write_policy", value=value)
        for volume, value in zip(whole.volumes, values, strict=False)
    ]
    [refusal] = change.plan(whole, desired, TOOLS).refusals
    assert (refusal.desired.value, "all volumes" in refusal.reason) == ("unprotected_write_back", True)


def test_a_volume_on_smart_path_without_the_arrays_switch_is_refused(tmp_path: Path) -> None:
    """A volume on Smart Path with an unknown setting is refused.

    Smart Path must be disabled first, and its setting could not be restored.
    """
    whole = simulated_controller("gen10", tmp_path)
    silent = tuple(msgspec.structs.replace(array, details={}) for array in whole.arrays)
    method = {"LD Acceleration Method": "HPE SSD Smart Path"}
    volumes = tuple(msgspec.structs.replace(volume, details=method) for volume in whole.volumes)
    plan = planned(
        msgspec.structs.replace(whole, arrays=silent, volumes=volumes), "smartarray:0/v1", "write_policy",
        "protected_write_back",
    )  # fmt: skip
    assert (plan.steps, [refusal.kind for refusal in plan.refusals]) == ((), ["unknown"])


def test_an_unchanged_setting_needs_no_command(p400: Controller) -> None:
    """The plan reports that no change is needed."""
    plan = planned(p400, "smartarray:1/v1", "write_policy", "protected_write_back")
    assert (plan.steps, len(plan.already)) == ((), 1)


def test_an_unknown_setting_is_not_changed(p400: Controller) -> None:
    """An unknown split is not changed, as it could not be restored."""
    assert p400.cache is not None
    silent = msgspec.structs.replace(p400.cache, read_percent=None, write_percent=None)
    [refusal] = planned(msgspec.structs.replace(p400, cache=silent), p400.id, "cache_split", "50/50").refusals
    assert (refusal.kind, "undone" in refusal.reason) == ("unknown", True)


@pytest.mark.parametrize(
    ("setting", "value"), [("read_policy", "none"), ("io_policy", "direct"), ("flush_interval", "4")]
)
def test_settings_that_the_controllers_lack_are_refused(p400: Controller, setting: Setting, value: str) -> None:
    """A setting that the controllers lack is unsupported, with a reason."""
    [refusal] = planned(p400, "smartarray:1/v1", setting, value).refusals
    assert refusal.kind == "unsupported"
    assert refusal.reason


def test_a_controller_without_cache_refuses_write_back(p400: Controller) -> None:
    """Without a cache board, write-back is refused."""
    bare = msgspec.structs.replace(p400, cache=Cache(present=False))
    cache = VolumeCache(write_policy="write_through")
    volume = msgspec.structs.replace(bare.volumes[0], cache=cache)
    [refusal] = planned(
        msgspec.structs.replace(bare, volumes=(volume,)), volume.id, "write_policy", "protected_write_back"
    ).refusals
    assert "no cache board" in refusal.reason


@pytest.mark.parametrize(
    ("code", "out", "accepted"),
    [
        (0, "\n", True),
        (0, "\nError: This operation is not supported with the current configuration.\n", False),
        (1, "\nError: Syntax error\n", False),
        (0, "\nWarning: Enabling the drive write cache may cause data loss.\nUse a UPS.\n", True),
        (0, "\nWarning: Enabling the drive write cache may cause data loss.\nContinue? (y/n)\n", False),
        (0, "\nWarning: It may cause data loss.\nError: It was not done.\n", False),
        (0, "Detecting Controllers...Done.", False),
        (0, "{{{ \x7f", False),
        (3, "", False),
    ],
)
def test_the_tools_words_decide_and_not_its_exit_code(code: int, out: str, accepted: bool) -> None:
    """Silence and warnings are success. An error, a question and unknown words are not."""
    problem = change.judge(Action(argv=("ssacli",)), RunAnswer(code=code, out=out.encode()))
    assert (problem is None) == accepted


def test_the_cache_cannot_be_flushed_and_the_nearest_is_named(p400: Controller) -> None:
    """No command flushes the cache; write-through is the alternative."""
    [flush] = change.flushes(p400, TOOLS)
    assert (flush.action, flush.lack) == (None, None)
    assert "write-through" in (flush.alternative or "")


@pytest.mark.parametrize(
    ("mode", "cache", "lack"),
    [
        ("raid", Cache(present=False), "cache"),
        ("hba", None, "cache"),
        ("raid", None, None),
        (None, None, None),
        ("raid", Cache(), None),
    ],
)
def test_only_a_cache_that_is_reported_missing_has_nothing_to_flush(
    mode: Mode | None, cache: Cache | None, lack: str | None
) -> None:
    """A cache that the tool does not report may hold unwritten data."""
    [flush] = change.flushes(Controller(id="smartarray:1", mode=mode, cache=cache), TOOLS)
    assert flush.lack == lack
