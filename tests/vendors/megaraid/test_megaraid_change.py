"""Desired settings become commands of storcli, storcli2 and MegaCli."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.model import Tool
from raidctl.request import converse
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl_megaraid import change
from raidctl_megaraid.alarm import silence
from tests.vendors.megaraid.megaraid_demos import DEMOS, controller_of, desired, seen, simulated


def planned(name: str, place: Path, *requests: Desired, **settings: str) -> Plan:
    """The plan on a simulated machine. ``settings`` are those of volume 0 or of the controller."""
    found = {key if key in ("battery", "cacheflushint") else f"v0/{key}": value for key, value in settings.items()}
    controller, tools = seen(simulated(name, place, found))
    return change.plan(controller, requests, tools)


def commands(plan: Plan) -> list[str]:
    """The commands without the tool's path."""
    return [" ".join(step.action.argv[1:]) for step in plan.steps]


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        ("write_policy", "write_through", "/c0/v0 set wrcache=WT nolog J"),
        ("write_policy", "unprotected_write_back", "/c0/v0 set wrcache=AWB nolog J"),
        ("read_policy", "none", "/c0/v0 set rdcache=NoRA nolog J"),
        ("io_policy", "cached", "/c0/v0 set iopolicy=Cached nolog J"),
        ("drive_write_cache", "enabled", "/c0/v0 set pdcache=On nolog J"),
        ("drive_write_cache", "default", "/c0/v0 set pdcache=Default nolog J"),
    ],
)
def test_storcli_takes_one_option_for_each_command(tmp_path: Path, setting: Setting, value: str, command: str) -> None:
    """Each setting is one command, which ends with ``nolog J``."""
    assert commands(planned("9271", tmp_path, desired("v0", setting, value))) == [command]


@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        ("write_policy", "write_through", "-LDSetProp WT -L0 -a0 -NoLog"),
        ("write_policy", "unprotected_write_back", "-LDSetProp CachedBadBBU -L0 -a0 -NoLog"),
        ("read_policy", "read_ahead", "-LDSetProp RA -L0 -a0 -NoLog"),
        ("read_policy", "adaptive", "-LDSetProp ADRA -L0 -a0 -NoLog"),
        ("io_policy", "cached", "-LDSetProp Cached -L0 -a0 -NoLog"),
    ],
)
def test_megacli_has_one_word_for_each_setting(tmp_path: Path, setting: Setting, value: str, command: str) -> None:
    """Each setting is one word, followed by volume and controller."""
    assert commands(planned("perc5i", tmp_path, desired("v0", setting, value))) == [command]


def test_the_flush_interval_is_set_on_the_controller(tmp_path: Path) -> None:
    """The flush interval is set on the controller, in seconds."""
    asked = desired("", "flush_interval", "8")
    assert commands(planned("9271", tmp_path / "a", asked)) == ["/c0 set cacheflushint=8 nolog J"]
    assert commands(planned("perc5i", tmp_path / "b", asked)) == ["-AdpSetProp CacheFlushInterval -8 -a0 -NoLog"]


@pytest.mark.parametrize("value", ["256", "86400", "-1", "2.5", ""])
def test_an_interval_that_does_not_fit_the_firmwares_byte_is_refused(tmp_path: Path, value: str) -> None:
    """Only whole seconds from 0 to 255 are sent."""
    for name in ("9271", "perc5i"):
        plan = planned(name, tmp_path / name, desired("", "flush_interval", value))
        assert [item.kind for item in plan.refusals] == ["unsupported"]


@pytest.mark.parametrize(("setting", "value"), [("drive_write_cache", "enabled"), ("io_policy", "cached")])
def test_undocumented_settings_are_not_sent_to_storcli2(tmp_path: Path, setting: Setting, value: str) -> None:
    """An undocumented setting is refused with the reason; other settings are planned."""
    plan = planned("9660", tmp_path, desired("v2", setting, value), desired("v2", "read_policy", "none"))
    assert [(item.kind, bool(item.reason)) for item in plan.refusals] == [("unsupported", True)]
    assert commands(plan) == ["/c0/v2 set rdcache=NoRA nolog J"]


@pytest.mark.parametrize("name", ["storcli2", "perccli2"])
@pytest.mark.parametrize(("setting", "value"), [("alarm", "off"), ("rebuild_rate", "40")])
def test_neither_tool_of_the_second_generation_is_sent_commands_of_the_first(
    tmp_path: Path, name: str, setting: Setting, value: str
) -> None:
    """Alarm and rates are refused for storcli2 and perccli2. The alarm is not silenced."""
    runner = simulated("9660", tmp_path)
    controller, _ = seen(runner)
    alone, tools = replace(controller, told_by=name), [Tool(name=name, path=f"/x/{name}")]
    made = change.plan(alone, [desired("", setting, value)], tools)
    assert (made.steps, [item.kind for item in made.refusals]) == ((), ["unsupported"])
    assert isinstance(converse(silence(alone, tools), runner), str)


def test_storcli2_neither_flushes_nor_has_an_interval(tmp_path: Path) -> None:
    """Both are refused; for the flush an alternative is reported."""
    controller, tools = seen(simulated("9660", tmp_path))
    [flush] = change.flushes(controller, tools)
    assert (flush.action, bool(flush.why), "write-through" in (flush.alternative or "")) == (None, True, True)
    assert change.plan(controller, [desired("", "flush_interval", "8")], tools).refusals[0].kind == "unsupported"


@pytest.mark.parametrize(
    ("name", "words"), [("9271", "/c0 flushcache nolog J"), ("perc5i", "-AdpCacheFlush -a0 -NoLog")]
)
def test_the_flush_has_time_for_a_full_cache(tmp_path: Path, name: str, words: str) -> None:
    """The flush is one command for the controller. Its time limit is 10 minutes."""
    controller, tools = seen(simulated(name, tmp_path))
    [flush] = change.flushes(controller, tools)
    assert flush.action is not None
    assert (" ".join(flush.action.argv[1:]), flush.action.timeout) == (words, 600.0)


def test_a_flush_does_not_write_preserved_cache(tmp_path: Path) -> None:
    """The alternative of a flush mentions the preserved cache of offline volumes."""
    controller, tools = seen(simulated("9271", tmp_path, {"preserved": "Yes"}))
    [flush] = change.flushes(controller, tools)
    assert "foreign" in (flush.alternative or "")


@pytest.mark.parametrize("name", DEMOS)
def test_each_step_can_be_undone_and_outlives_a_reboot(tmp_path: Path, name: str) -> None:
    """The undo is the same command with the current value. The setting is persistent."""
    controller, tools = seen(simulated(name, tmp_path))
    asked = Desired(object_id=controller.volumes[-1].id, setting="write_policy", value="unprotected_write_back")
    plan = change.plan(controller, [asked], tools)
    [step] = plan.steps
    current = change.current_settings(controller)
    assert current[step.object_id, step.setting] == step.before
    assert step.undo.argv[1:] == tuple(word.replace(step.after, step.before) for word in step.action.argv[1:])
    assert step.persistent is True


@pytest.mark.parametrize("name", DEMOS)
def test_the_tool_that_reported_the_controller_changes_it(tmp_path: Path, name: str) -> None:
    """Another installed tool of the family is not used."""
    controller, tools = seen(simulated(name, tmp_path))
    volume = controller.volumes[-1].id
    asked = [Desired(object_id=volume, setting="write_policy", value="unprotected_write_back")]
    others = [Tool(name="perccli", path="/opt/other/perccli"), Tool(name="megacli", path="/usr/sbin/megacli")]
    [step] = change.plan(controller, asked, [*others, *tools]).steps
    assert step.action.argv[0].endswith(controller.told_by or "?")
    assert change.plan(controller, asked, others).refusals[0].kind == "unknown"


def test_a_second_controller_of_the_same_number_keeps_its_number(tmp_path: Path) -> None:
    """``megaraid:0-2`` is controller 0 of another tool. An unknown number cannot be addressed."""
    controller, tools = seen(simulated("9271", tmp_path))
    text = "megaraid:0-2/v0"
    volume = replace(controller.volumes[0], id=text)
    second = replace(controller, id="megaraid:0-2", volumes=(volume,))
    asked = Desired(object_id=text, setting="write_policy", value="write_through")
    assert commands(change.plan(second, [asked], tools)) == ["/c0/v0 set wrcache=WT nolog J"]
    nameless = replace(controller, id="megaraid:unknown", volumes=(replace(volume, id="megaraid:unknown/v0"),))
    asked = replace(asked, object_id="megaraid:unknown/v0")
    assert change.plan(nameless, [asked], tools).refusals[0].kind == "unknown"


def test_a_setting_that_is_already_configured_needs_no_command(tmp_path: Path) -> None:
    """An already configured setting is listed as such, without a command."""
    plan = planned("9271", tmp_path, desired("v0", "write_policy", "protected_write_back"))
    assert (plan.steps, len(plan.already)) == ((), 1)


def test_a_setting_that_is_configured_and_inactive_needs_no_command(tmp_path: Path) -> None:
    """Setting write-back again does not repair a battery."""
    plan = planned("h730", tmp_path, desired("v1", "write_policy", "protected_write_back"))
    assert (plan.steps, len(plan.already)) == ((), 1)


# --- write-through and cached I/O


@pytest.mark.parametrize("written", ["WT", "WB"])
def test_write_through_takes_direct_io(tmp_path: Path, written: str) -> None:
    """Write-through sets direct I/O too, and the step reports it. Cached I/O may keep writes."""
    plan = planned("9271", tmp_path, desired("v0", "write_policy", "write_through"), wrcache=written, iopolicy="Cached")
    assert "/c0/v0 set iopolicy=Direct nolog J" in commands(plan)
    assert any("reads" in text for step in plan.steps for text in step.affects)


def test_requested_cached_io_stays(tmp_path: Path) -> None:
    """Write-through and cached I/O are both set if both are requested. There is a warning."""
    requests = desired("v0", "write_policy", "write_through"), desired("v0", "io_policy", "cached")
    plan = planned("9271", tmp_path, *requests, wrcache="WB")
    assert commands(plan) == ["/c0/v0 set wrcache=WT nolog J", "/c0/v0 set iopolicy=Cached nolog J"]
    assert "whatever the write policy" in plan.steps[1].affects[0]


def test_an_unchangeable_io_policy_does_not_prevent_write_through(tmp_path: Path) -> None:
    """Write-through is set although the controller (95xx) cannot change its I/O policy."""
    found = simulated("9271", tmp_path, {"v0/iopolicy": "Cached", "supports iopolicy": "No"})
    controller, tools = seen(found)
    plan = change.plan(controller, [desired("v0", "write_policy", "write_through")], tools)
    assert (commands(plan), plan.refusals) == (["/c0/v0 set wrcache=WT nolog J"], ())


# --- order


def test_settings_that_protect_data_come_first(tmp_path: Path) -> None:
    """Drive caches are disabled before write-back is enabled. The order of the requests makes no difference."""
    requests = [desired("v0", "write_policy", "unprotected_write_back"), desired("v0", "drive_write_cache", "disabled")]
    for order in (requests, requests[::-1]):
        plan = planned("9271", tmp_path, *order, wrcache="WT", pdcache="On")
        assert [step.setting for step in plan.steps] == ["pdcache", "wrcache"]


def test_megacli_forbids_the_bad_battery_before_it_switches_write_back_on(tmp_path: Path) -> None:
    """Caching with a bad battery is forbidden before write-back is set."""
    asked = desired("v0", "write_policy", "protected_write_back")
    plan = planned("perc5i", tmp_path, asked, wrcache="WT", badbbu="Yes")
    assert [step.after for step in plan.steps] == ["NoCachedBadBBU", "WB"]


def test_megacli_allows_the_bad_battery_last(tmp_path: Path) -> None:
    """Caching with a bad battery is allowed last. An undo thus forbids it first."""
    plan = planned("perc5i", tmp_path, desired("v0", "write_policy", "unprotected_write_back"), wrcache="WT")
    assert [step.after for step in plan.steps] == ["WB", "CachedBadBBU"]


# --- refusals


def test_a_setting_that_megacli_does_not_report_is_not_changed(tmp_path: Path) -> None:
    """A setting without a current value could not be restored."""
    controller, tools = seen(simulated("perc5i", tmp_path))
    volume = controller.volumes[0]
    silent = replace(volume, details={key: text for key, text in volume.details.items() if "BBU" not in key})
    bare = replace(controller, volumes=(silent,))
    plan = change.plan(bare, [desired("v0", "write_policy", "unprotected_write_back")], tools)
    assert (plan.steps, plan.refusals[0].kind) == ((), "unknown")
    assert commands(change.plan(bare, [desired("v0", "write_policy", "write_through")], tools))


def test_megacli_cannot_restore_the_drives_default(tmp_path: Path) -> None:
    """The drives' default is not changed; on and off are."""
    asked = desired("v0", "drive_write_cache", "disabled")
    assert "restore that value" in planned("perc5i", tmp_path, asked).refusals[0].reason
    assert commands(planned("perc5i", tmp_path, asked, pdcache="On")) == ["-LDSetProp -DisDskCache -L0 -a0 -NoLog"]
    asked = desired("v0", "drive_write_cache", "default")
    assert planned("perc5i", tmp_path, asked, pdcache="On").refusals[0].kind == "unsupported"


def test_storcli_lacks_adaptive_read_ahead(tmp_path: Path) -> None:
    """Adaptive read-ahead can neither be set nor changed. It could not be restored."""
    for asked, settings in ((("adaptive",), {}), (("none",), {"rdcache": "adaptive"})):
        plan = planned("9271", tmp_path / asked[0], desired("v0", "read_policy", asked[0]), **settings)
        assert (plan.steps, plan.refusals[0].kind) == ((), "unsupported")


def test_a_volume_with_two_numbers_is_not_changed(tmp_path: Path) -> None:
    """``Virtual Drive: 0 (Target Id: 3)``: a command could change another volume."""
    controller, tools = seen(simulated("perc5i", tmp_path))
    volume = controller.volumes[0]
    odd = replace(volume, details=volume.details | {"Virtual Drive": "1"})
    plan = change.plan(replace(controller, volumes=(odd,)), [desired("v0", "read_policy", "read_ahead")], tools)
    assert (plan.steps, plan.refusals[0].kind) == ((), "unknown")


@pytest.mark.parametrize(
    ("tool_setting", "setting", "value"),
    [
        ("wrcache", "write_policy", "write_through"),
        ("rdcache", "read_policy", "none"),
        ("iopolicy", "io_policy", "cached"),
        ("pdcache", "drive_write_cache", "enabled"),
    ],
)
def test_what_the_controller_does_not_support_is_refused(
    tmp_path: Path, tool_setting: str, setting: Setting, value: str
) -> None:
    """``Supported VD Operations``: an unsupported setting is neither sent nor listed."""
    controller, tools = seen(simulated("9271", tmp_path, {f"supports {tool_setting}": "No"}))
    plan = change.plan(controller, [desired("v0", setting, value)], tools)
    assert (plan.steps, plan.refusals[0].kind) == ((), "unsupported")
    assert tool_setting not in {name for _, name in change.current_settings(controller)}


def test_the_caches_of_ssds_are_not_changed_if_the_controller_blocks_them(tmp_path: Path) -> None:
    """The tool would reject the change with ``SSD Pd is present``. A volume of HDDs is changed."""
    controller, tools = seen(simulated("h730", tmp_path, {"block ssd": "Yes"}))
    plan = change.plan(controller, [desired(name, "drive_write_cache", "enabled") for name in ("v0", "v1")], tools)
    assert [item.desired.object_id for item in plan.refusals] == ["megaraid:0/v0"]
    assert commands(plan) == ["/c0/v1 set pdcache=On nolog J"]


def test_a_controller_without_a_cache_is_not_flushed(tmp_path: Path) -> None:
    """In HBA mode and without memory there is no flush."""
    controller, tools = seen(simulated("9271", tmp_path))
    assert controller.cache is not None
    bare = replace(controller, cache=replace(controller.cache, present=False))
    for none in (replace(controller, mode="hba"), bare):
        assert change.flushes(none, tools)[0].action is None


@pytest.mark.parametrize("setting", ["cache_split", "no_battery_write_cache", "bypass_threshold", "write_cache"])
def test_settings_that_the_family_lacks_are_refused_with_the_reason(tmp_path: Path, setting: Setting) -> None:
    """A setting that the family lacks is refused with one sentence."""
    [refusal] = planned("9271", tmp_path, desired("", setting, "25/75")).refusals
    assert refusal.kind == "unsupported"
    assert refusal.reason.endswith(".")


def test_write_policy_off_is_no_policy_of_a_volume(tmp_path: Path) -> None:
    """Write-through is offered as the alternative to ``off``."""
    for name in ("9271", "perc5i"):
        [refusal] = planned(name, tmp_path / name, desired("v0", "write_policy", "off")).refusals
        assert "write-through" in (refusal.alternative or "")


def test_the_second_of_two_contradicting_requests_is_refused(tmp_path: Path) -> None:
    """The first request is planned, the second is refused."""
    requests = desired("v0", "write_policy", "write_through"), desired("v0", "write_policy", "unprotected_write_back")
    plan = planned("9271", tmp_path, *requests)
    assert (len(plan.steps), len(plan.refusals)) == (1, 1)


def test_saved_outputs_are_planned_with_their_tool(tmp_path: Path) -> None:
    """A plan for saved outputs names the tool that printed them."""
    saved = replace(controller_of("9271", tmp_path), told_by=None)
    plan = change.plan(saved, [desired("v0", "write_policy", "write_through")], [Tool(name="storcli")])
    assert [step.action.argv[0] for step in plan.steps] == ["storcli"]
    assert change.current_settings(saved) == {}


@pytest.mark.parametrize("name", ["9271", "perc5i"])
def test_the_range_of_the_flush_interval_is_reported_as_undocumented(tmp_path: Path, name: str) -> None:
    """A flush interval's step notes that the accepted range is undocumented."""
    found, tools = seen(simulated(name, tmp_path))
    [step] = change.plan(found, [desired("", "flush_interval", "7")], tools).steps
    assert "undocumented" in step.affects[0]


@pytest.mark.parametrize(("current", "requested", "noted"), [
    ("adaptive", "none", True), ("NoRA", "adaptive", True), ("NoRA", "read_ahead", False),
])  # fmt: skip
def test_megacli_may_lack_adaptive_read_ahead(tmp_path: Path, current: str, requested: str, noted: bool) -> None:
    """A plan for adaptive read-ahead notes that the tool may lack it. Both setting and restoring it need the note."""
    found, tools = seen(simulated("perc5i", tmp_path, {"v0/rdcache": current}))
    [step] = change.plan(found, [desired("v0", "read_policy", requested)], tools).steps
    assert any("ADRA" in text for text in step.affects) == noted
