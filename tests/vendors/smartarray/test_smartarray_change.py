"""The commands that change a Smart Array's cache."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from raidctl.model import Cache, Controller, Tool, VolumeCache
from raidctl.request import RunAnswer
from raidctl.simulation.demo import machine
from raidctl.survey.survey import survey
from raidctl.vendor.plan import Action, Desired, Plan, Setting
from raidctl.vendor.registry import vendors
from raidctl_smartarray import change

VENDORS = vendors()[0]
TOOLS = [Tool(name=name, path=f"/usr/sbin/{name}") for name in ("ssacli", "hpssacli", "hpacucli")]


def card(demo: str, place: Path) -> Controller:
    """The controller of a simulated machine."""
    found = survey(machine(demo, VENDORS, place), VENDORS).inventory.controllers
    return next(controller for controller in found if controller.id.startswith("smartarray:"))


@pytest.fixture
def p400(tmp_path: Path) -> Controller:
    """A P400: one RAID-5 with caching on, 25/75."""
    return card("p400", tmp_path)


def planned(controller: Controller, object_id: str, setting: Setting, value: str) -> Plan:
    """The plan for one wish."""
    return change.plan(controller, [Desired(object_id=object_id, setting=setting, value=value)], TOOLS)


def commands(plan: Plan) -> list[str]:
    """The commands of a plan."""
    return [str(step.action) for step in plan.steps]


def test_the_program_that_told_of_the_card_is_used(p400: Controller) -> None:
    """Of three installed programs, the one that knows the card changes it."""
    assert commands(planned(p400, p400.id, "cache_split", "50/50")) == [
        "hpacucli ctrl slot=1 modify cacheratio=50/50 forced"
    ]


def test_write_through_is_caching_off_and_says_that_reads_suffer(p400: Controller) -> None:
    """The controller switches both together."""
    [step] = planned(p400, "smartarray:1/v1", "write_policy", "write_through").steps
    assert step.action.argv[-2:] == ("arrayaccelerator=disable", "forced")
    assert "Reads" in step.affects[0]


def test_unprotected_write_back_goes_through_the_whole_controller(p400: Controller) -> None:
    """Caching of the volume, and the no-battery write cache, which acts on all volumes."""
    plan = planned(p400, "smartarray:1/v1", "write_policy", "unprotected_write_back")
    assert [(step.setting, step.after) for step in plan.steps] == [("nobatterywritecache", "enable")]
    assert "all volumes" in plan.steps[0].affects[0]


def test_ssd_smart_path_is_switched_off_first(tmp_path: Path) -> None:
    """Caching is refused while it is on."""
    plan = planned(card("gen10", tmp_path), "smartarray:0/v1", "write_policy", "protected_write_back")
    assert [step.setting for step in plan.steps] == ["ssdsmartpath", "arrayaccelerator"]
    assert plan.steps[0].object_id == "smartarray:0/A"


def test_the_new_wording_of_the_drives_cache_names_the_use(tmp_path: Path) -> None:
    """Gen10 keeps one setting for each use of the drives and wants to be told which."""
    controller = card("gen10", tmp_path)
    [command] = commands(planned(controller, controller.volumes[0].id, "drive_write_cache", "enabled"))
    assert command.endswith("modify drivewritecache=enable usage=configured forced")


def test_the_old_wording_does_not(p400: Controller) -> None:
    """Older cards have one setting for all drives."""
    [command] = commands(planned(p400, "smartarray:1/v1", "drive_write_cache", "enabled"))
    assert command.endswith("modify drivewritecache=enable forced")


@pytest.mark.parametrize("size", ["0", "8", "24", "1056", "99999999", "many"])
def test_a_threshold_that_the_card_does_not_take_is_refused(tmp_path: Path, size: str) -> None:
    """16 to 1040 KiB in steps of 16."""
    controller = card("gen10", tmp_path)
    assert planned(controller, controller.id, "bypass_threshold", size).refusals


def test_a_threshold_is_set_in_kib(tmp_path: Path) -> None:
    """As the tool spells it."""
    controller = card("gen10", tmp_path)
    [step] = planned(controller, controller.id, "bypass_threshold", "512").steps
    assert (step.before, step.action.argv[-2]) == ("1040", "writecachebypassthreshold=512")


def test_unchanged_is_no_default(tmp_path: Path) -> None:
    """The tool's word Unchanged is put back as such."""
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
def test_a_value_that_is_none_is_refused(p400: Controller, object_id: str, setting: Setting, value: str) -> None:
    """Before any command, whoever makes the wish."""
    plan = planned(p400, object_id, setting, value)
    assert (plan.steps, [refusal.kind for refusal in plan.refusals]) == ((), ["unsupported"])


@pytest.mark.parametrize("setting", ["cache_split", "no_battery_write_cache", "drive_write_cache", "bypass_threshold"])
def test_what_acts_on_the_whole_card_says_so(tmp_path: Path, setting: Setting) -> None:
    """In what the step affects, and as its object."""
    p440 = card("p440", tmp_path / "p440")
    values: dict[Setting, str] = {"cache_split": "50/50", "bypass_threshold": "512"}
    whole = card("gen10", tmp_path / "gen10") if setting == "bypass_threshold" else p440
    asked = whole.volumes[0].id if setting == "drive_write_cache" else whole.id
    [step] = planned(whole, asked, setting, values.get(setting, "enabled")).steps
    assert (step.object_id, "all" in step.affects[0], step.persistent) == (whole.id, True, True)


@pytest.mark.parametrize(("policy", "order"), [
    ("write_through", ["cacheratio", "arrayaccelerator"]), ("protected_write_back", ["arrayaccelerator", "cacheratio"]),
])  # fmt: skip
@pytest.mark.parametrize("turn", [1, -1])
def test_a_split_is_set_while_a_volume_uses_the_cache(
    p400: Controller, policy: str, order: list[str], turn: int
) -> None:
    """Before the last one stops, after the first one starts; undone the other way round."""
    on = policy == "write_through"
    cache = VolumeCache(write_policy="protected_write_back" if on else "write_through")
    volume = msgspec.structs.replace(p400.volumes[0], cache=cache)
    wishes = [
        Desired(object_id=p400.id, setting="cache_split", value="50/50"),
        Desired(object_id=volume.id, setting="write_policy", value=policy),
    ]
    plan = change.plan(msgspec.structs.replace(p400, volumes=(volume,)), wishes[::turn], TOOLS)
    assert [step.setting for step in plan.steps] == order


def test_a_split_is_refused_with_the_last_caching_switched_off(p400: Controller) -> None:
    """The tool shows no split then, so it could not be read again."""
    wishes = [
        Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through"),
        Desired(object_id="smartarray:1", setting="cache_split", value="50/50"),
    ]
    assert [refusal.desired.setting for refusal in change.plan(p400, wishes, TOOLS).refusals] == ["cache_split"]


def test_two_volumes_cannot_differ_in_protection(tmp_path: Path) -> None:
    """One switch for all volumes."""
    whole = card("p440", tmp_path)
    values = ("protected_write_back", "unprotected_write_back")
    wishes = [
        Desired(object_id=volume.id, setting="write_policy", value=value)
        for volume, value in zip(whole.volumes, values, strict=False)
    ]
    [refusal] = change.plan(whole, wishes, TOOLS).refusals
    assert (refusal.desired.value, "all volumes" in refusal.reason) == ("unprotected_write_back", True)


def test_a_volume_on_smart_path_without_the_arrays_switch_is_refused(tmp_path: Path) -> None:
    """It has to be off first, and could not be put back."""
    whole = card("gen10", tmp_path)
    silent = tuple(msgspec.structs.replace(array, details={}) for array in whole.arrays)
    method = {"LD Acceleration Method": "HPE SSD Smart Path"}
    volumes = tuple(msgspec.structs.replace(volume, details=method) for volume in whole.volumes)
    plan = planned(
        msgspec.structs.replace(whole, arrays=silent, volumes=volumes), "smartarray:0/v1", "write_policy",
        "protected_write_back",
    )  # fmt: skip
    assert (plan.steps, [refusal.kind for refusal in plan.refusals]) == ((), ["unknown"])


def test_what_is_so_already_needs_no_command(p400: Controller) -> None:
    """The wish is named as fulfilled."""
    plan = planned(p400, "smartarray:1/v1", "write_policy", "protected_write_back")
    assert (plan.steps, len(plan.already)) == ((), 1)


def test_what_is_not_told_is_not_changed(p400: Controller) -> None:
    """A split that nobody knows could not be put back."""
    assert p400.cache is not None
    silent = msgspec.structs.replace(p400.cache, read_percent=None, write_percent=None)
    [refusal] = planned(msgspec.structs.replace(p400, cache=silent), p400.id, "cache_split", "50/50").refusals
    assert (refusal.kind, "undone" in refusal.reason) == ("unknown", True)


@pytest.mark.parametrize(
    ("setting", "value"), [("read_policy", "none"), ("io_policy", "direct"), ("flush_interval", "4")]
)
def test_what_the_cards_do_not_have_is_refused_with_the_reason(p400: Controller, setting: Setting, value: str) -> None:
    """Unsupported is an answer, with the nearest alternative where there is one."""
    [refusal] = planned(p400, "smartarray:1/v1", setting, value).refusals
    assert refusal.kind == "unsupported"
    assert refusal.reason


def test_a_card_without_cache_refuses_write_back(p400: Controller) -> None:
    """There is nothing that could be switched on."""
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
    """Nothing said is success; an error, a question and words that are not known are none, whatever the exit code."""
    told = change.judge(Action(argv=("ssacli",)), RunAnswer(code=code, out=out.encode()))
    assert (told is None) == accepted


def test_the_cache_cannot_be_flushed_and_the_nearest_is_named(p400: Controller) -> None:
    """No command of the tool does it."""
    [flush] = change.flushes(p400, TOOLS)
    assert flush.action is None
    assert "write-through" in (flush.alternative or "")
