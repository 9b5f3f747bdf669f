"""Wishes made into commands of storcli, storcli2 and MegaCli."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.model import Tool
from raidctl.request import converse
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl_megaraid import change
from raidctl_megaraid.alarm import silence
from tests.vendors.megaraid.megaraid_demos import DEMOS, card, seen, simulated, wish


def planned(name: str, place: Path, *wishes: Desired, **settings: str) -> Plan:
    """The plan on a simulated machine; settings are those of volume 0, but for its card's own."""
    found = {key if key in ("battery", "cacheflushint") else f"v0/{key}": value for key, value in settings.items()}
    controller, tools = seen(simulated(name, place, found))
    return change.plan(controller, wishes, tools)


def commands(plan: Plan) -> list[str]:
    """The commands without the program's name."""
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
    """JSON is asked for last, so that the answer has a row for each property; no log is left behind."""
    assert commands(planned("9271", tmp_path, wish("v0", setting, value))) == [command]


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
def test_megacli_has_a_word_for_each(tmp_path: Path, setting: Setting, value: str, command: str) -> None:
    """The controller and the volume stand behind it; no log is left behind."""
    assert commands(planned("perc5i", tmp_path, wish("v0", setting, value))) == [command]


def test_the_flush_interval_is_the_controllers(tmp_path: Path) -> None:
    """Seconds, for all volumes."""
    asked = wish("", "flush_interval", "8")
    assert commands(planned("9271", tmp_path / "a", asked)) == ["/c0 set cacheflushint=8 nolog J"]
    assert commands(planned("perc5i", tmp_path / "b", asked)) == ["-AdpSetProp CacheFlushInterval -8 -a0 -NoLog"]


@pytest.mark.parametrize("value", ["256", "86400", "-1", "2.5", ""])
def test_an_interval_that_does_not_fit_the_firmwares_byte_is_refused(tmp_path: Path, value: str) -> None:
    """Nothing is sent to a firmware that would cut it."""
    for name in ("9271", "perc5i"):
        plan = planned(name, tmp_path / name, wish("", "flush_interval", value))
        assert [item.kind for item in plan.refusals] == ["unsupported"]


@pytest.mark.parametrize(("setting", "value"), [("drive_write_cache", "enabled"), ("io_policy", "cached")])
def test_storcli2_is_not_sent_what_is_not_documented(tmp_path: Path, setting: Setting, value: str) -> None:
    """The refusal names the reason; other wishes go on."""
    plan = planned("9660", tmp_path, wish("v2", setting, value), wish("v2", "read_policy", "none"))
    assert [(item.kind, bool(item.reason)) for item in plan.refusals] == [("unsupported", True)]
    assert commands(plan) == ["/c0/v2 set rdcache=NoRA nolog J"]


@pytest.mark.parametrize("name", ["storcli2", "perccli2"])
@pytest.mark.parametrize(("setting", "value"), [("alarm", "off"), ("rebuild_rate", "40")])
def test_neither_tool_of_the_second_generation_is_sent_commands_of_the_first(
    tmp_path: Path, name: str, setting: Setting, value: str
) -> None:
    """Alarm and rates: refused for perccli2 as for storcli2; nor is the alarm silenced."""
    runner = simulated("9660", tmp_path)
    controller, _ = seen(runner)
    alone, tools = replace(controller, told_by=name), [Tool(name=name, path=f"/x/{name}")]
    made = change.plan(alone, [wish("", setting, value)], tools)
    assert (made.steps, [item.kind for item in made.refusals]) == ((), ["unsupported"])
    assert isinstance(converse(silence(alone, tools), runner), str)


def test_storcli2_neither_flushes_nor_has_an_interval(tmp_path: Path) -> None:
    """Both are said, with the nearest that can be done for the flush."""
    controller, tools = seen(simulated("9660", tmp_path))
    [told] = change.flushes(controller, tools)
    assert (told.action, bool(told.why), "write-through" in (told.alternative or "")) == (None, True, True)
    assert change.plan(controller, [wish("", "flush_interval", "8")], tools).refusals[0].kind == "unsupported"


@pytest.mark.parametrize(
    ("name", "words"), [("9271", "/c0 flushcache nolog J"), ("perc5i", "-AdpCacheFlush -a0 -NoLog")]
)
def test_the_flush_waits_for_a_whole_cache(tmp_path: Path, name: str, words: str) -> None:
    """One command for the controller, with time enough."""
    controller, tools = seen(simulated(name, tmp_path))
    [told] = change.flushes(controller, tools)
    assert told.action is not None
    assert (" ".join(told.action.argv[1:]), told.action.timeout) == (words, 600.0)


def test_preserved_data_is_said_to_stay_where_it_is(tmp_path: Path) -> None:
    """A flush does not write the data of a volume that is offline."""
    controller, tools = seen(simulated("9271", tmp_path, {"preserved": "Yes"}))
    [told] = change.flushes(controller, tools)
    assert "foreign" in (told.alternative or "")


@pytest.mark.parametrize("name", DEMOS)
def test_each_step_can_be_undone_and_outlives_a_reboot(tmp_path: Path, name: str) -> None:
    """The undo is the same command with the value that was read."""
    controller, tools = seen(simulated(name, tmp_path))
    asked = Desired(object_id=controller.volumes[-1].id, setting="write_policy", value="unprotected_write_back")
    plan = change.plan(controller, [asked], tools)
    [step] = plan.steps
    stand = change.current_settings(controller)
    assert stand[step.object_id, step.setting] == step.before
    assert step.undo.argv[1:] == tuple(word.replace(step.after, step.before) for word in step.action.argv[1:])
    assert step.persistent is True


@pytest.mark.parametrize("name", DEMOS)
def test_the_program_that_told_of_the_card_is_the_one_that_changes_it(tmp_path: Path, name: str) -> None:
    """Not the first of the family's programs that is installed."""
    controller, tools = seen(simulated(name, tmp_path))
    volume = controller.volumes[-1].id
    asked = [Desired(object_id=volume, setting="write_policy", value="unprotected_write_back")]
    others = [Tool(name="perccli", path="/opt/other/perccli"), Tool(name="megacli", path="/usr/sbin/megacli")]
    [step] = change.plan(controller, asked, [*others, *tools]).steps
    assert step.action.argv[0].endswith(controller.told_by or "?")
    assert change.plan(controller, asked, others).refusals[0].kind == "unknown"


def test_a_second_card_of_the_same_number_keeps_its_own_number(tmp_path: Path) -> None:
    """``megaraid:0-2`` is controller 0 of another program; a card without a number cannot be addressed."""
    controller, tools = seen(simulated("9271", tmp_path))
    text = "megaraid:0-2/v0"
    volume = replace(controller.volumes[0], id=text)
    twin = replace(controller, id="megaraid:0-2", volumes=(volume,))
    asked = Desired(object_id=text, setting="write_policy", value="write_through")
    assert commands(change.plan(twin, [asked], tools)) == ["/c0/v0 set wrcache=WT nolog J"]
    nameless = replace(controller, id="megaraid:unknown", volumes=(replace(volume, id="megaraid:unknown/v0"),))
    asked = replace(asked, object_id="megaraid:unknown/v0")
    assert change.plan(nameless, [asked], tools).refusals[0].kind == "unknown"


def test_what_is_so_already_is_said(tmp_path: Path) -> None:
    """No command for it."""
    plan = planned("9271", tmp_path, wish("v0", "write_policy", "protected_write_back"))
    assert (plan.steps, len(plan.already)) == ((), 1)


def test_what_is_set_and_not_in_force_is_so_already(tmp_path: Path) -> None:
    """Setting write-back once more does not heal a battery."""
    plan = planned("h730", tmp_path, wish("v1", "write_policy", "protected_write_back"))
    assert (plan.steps, len(plan.already)) == ((), 1)


# --- write-through and cached I/O


@pytest.mark.parametrize("written", ["WT", "WB"])
def test_write_through_takes_direct_io(tmp_path: Path, written: str) -> None:
    """Cached I/O may keep writes whatever the write policy says; the step tells what else it does."""
    plan = planned("9271", tmp_path, wish("v0", "write_policy", "write_through"), wrcache=written, iopolicy="Cached")
    assert "/c0/v0 set iopolicy=Direct nolog J" in commands(plan)
    assert any("reads" in text for step in plan.steps for text in step.affects)


def test_cached_io_that_is_wished_stays(tmp_path: Path) -> None:
    """Who asks for both gets both, and is told."""
    wishes = wish("v0", "write_policy", "write_through"), wish("v0", "io_policy", "cached")
    plan = planned("9271", tmp_path, *wishes, wrcache="WB")
    assert commands(plan) == ["/c0/v0 set wrcache=WT nolog J", "/c0/v0 set iopolicy=Cached nolog J"]
    assert "whatever the write policy" in plan.steps[1].affects[0]


def test_io_that_cannot_be_changed_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """The 95xx shows a policy that it does not let be changed: write-through is set all the same."""
    found = simulated("9271", tmp_path, {"v0/iopolicy": "Cached", "supports iopolicy": "No"})
    controller, tools = seen(found)
    plan = change.plan(controller, [wish("v0", "write_policy", "write_through")], tools)
    assert (commands(plan), plan.refusals) == (["/c0/v0 set wrcache=WT nolog J"], ())


# --- order


def test_what_makes_data_safer_comes_first(tmp_path: Path) -> None:
    """The drives' caches go off before the controller's goes on, whatever the order of the wishes."""
    wishes = [wish("v0", "write_policy", "unprotected_write_back"), wish("v0", "drive_write_cache", "disabled")]
    for order in (wishes, wishes[::-1]):
        plan = planned("9271", tmp_path, *order, wrcache="WT", pdcache="On")
        assert [step.setting for step in plan.steps] == ["pdcache", "wrcache"]


def test_megacli_forbids_the_bad_battery_before_it_switches_write_back_on(tmp_path: Path) -> None:
    """From write-through with the cache allowed on a bad battery: no moment is unprotected."""
    asked = wish("v0", "write_policy", "protected_write_back")
    plan = planned("perc5i", tmp_path, asked, wrcache="WT", badbbu="Yes")
    assert [step.after for step in plan.steps] == ["NoCachedBadBBU", "WB"]


def test_megacli_allows_the_bad_battery_last(tmp_path: Path) -> None:
    """Undone backwards, it is forbidden first."""
    plan = planned("perc5i", tmp_path, wish("v0", "write_policy", "unprotected_write_back"), wrcache="WT")
    assert [step.after for step in plan.steps] == ["WB", "CachedBadBBU"]


# --- refusals


def test_a_knob_that_megacli_does_not_tell_is_not_turned(tmp_path: Path) -> None:
    """A line without the clause on a bad battery: what was there could not be put back."""
    controller, tools = seen(simulated("perc5i", tmp_path))
    volume = controller.volumes[0]
    silent = replace(volume, details={key: text for key, text in volume.details.items() if "BBU" not in key})
    bare = replace(controller, volumes=(silent,))
    plan = change.plan(bare, [wish("v0", "write_policy", "unprotected_write_back")], tools)
    assert (plan.steps, plan.refusals[0].kind) == ((), "unknown")
    assert commands(change.plan(bare, [wish("v0", "write_policy", "write_through")], tools))


def test_megacli_cannot_put_the_drives_default_back(tmp_path: Path) -> None:
    """So it is left; where it is on or off, it can be switched."""
    asked = wish("v0", "drive_write_cache", "disabled")
    assert "restore that value" in planned("perc5i", tmp_path, asked).refusals[0].reason
    assert commands(planned("perc5i", tmp_path, asked, pdcache="On")) == ["-LDSetProp -DisDskCache -L0 -a0 -NoLog"]
    asked = wish("v0", "drive_write_cache", "default")
    assert planned("perc5i", tmp_path, asked, pdcache="On").refusals[0].kind == "unsupported"


def test_adaptive_read_ahead_is_gone_from_storcli(tmp_path: Path) -> None:
    """It can be wished neither, nor left, for it could not be put back."""
    for asked, settings in ((("adaptive",), {}), (("none",), {"rdcache": "adaptive"})):
        plan = planned("9271", tmp_path / asked[0], wish("v0", "read_policy", asked[0]), **settings)
        assert (plan.steps, plan.refusals[0].kind) == ((), "unsupported")


def test_a_volume_of_two_numbers_is_left_alone(tmp_path: Path) -> None:
    """``Virtual Drive: 0 (Target Id: 3)``: a command could change another volume."""
    controller, tools = seen(simulated("perc5i", tmp_path))
    volume = controller.volumes[0]
    odd = replace(volume, details=volume.details | {"Virtual Drive": "1"})
    plan = change.plan(replace(controller, volumes=(odd,)), [wish("v0", "read_policy", "read_ahead")], tools)
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
def test_what_the_card_does_not_support_is_refused(
    tmp_path: Path, tool_setting: str, setting: Setting, value: str
) -> None:
    """``Supported VD Operations``: no command is sent, and there is no such setting."""
    controller, tools = seen(simulated("9271", tmp_path, {f"supports {tool_setting}": "No"}))
    plan = change.plan(controller, [wish("v0", setting, value)], tools)
    assert (plan.steps, plan.refusals[0].kind) == ((), "unsupported")
    assert tool_setting not in {name for _, name in change.current_settings(controller)}


def test_the_caches_of_ssds_are_left_where_the_card_blocks_them(tmp_path: Path) -> None:
    """The answer would be ``SSD Pd is present``; the volume on hard disks is not blocked."""
    controller, tools = seen(simulated("h730", tmp_path, {"block ssd": "Yes"}))
    plan = change.plan(controller, [wish(name, "drive_write_cache", "enabled") for name in ("v0", "v1")], tools)
    assert [item.desired.object_id for item in plan.refusals] == ["megaraid:0/v0"]
    assert commands(plan) == ["/c0/v1 set pdcache=On nolog J"]


def test_a_card_that_caches_nothing_is_not_changed(tmp_path: Path) -> None:
    """In HBA mode, and without memory: no flush either."""
    controller, tools = seen(simulated("9271", tmp_path))
    assert controller.cache is not None
    bare = replace(controller, cache=replace(controller.cache, present=False))
    for none in (replace(controller, mode="hba"), bare):
        assert change.flushes(none, tools)[0].action is None


@pytest.mark.parametrize("setting", ["cache_split", "no_battery_write_cache", "bypass_threshold", "write_cache"])
def test_what_the_family_lacks_is_refused_with_the_reason(tmp_path: Path, setting: Setting) -> None:
    """Each in a sentence."""
    [refusal] = planned("9271", tmp_path, wish("", setting, "25/75")).refusals
    assert refusal.kind == "unsupported"
    assert refusal.reason.endswith(".")


def test_write_policy_off_is_no_policy_of_a_volume(tmp_path: Path) -> None:
    """Write-through is named as the nearest."""
    for name in ("9271", "perc5i"):
        [refusal] = planned(name, tmp_path / name, wish("v0", "write_policy", "off")).refusals
        assert "write-through" in (refusal.alternative or "")


def test_two_wishes_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    """The first stands in the plan, the second is named."""
    wishes = wish("v0", "write_policy", "write_through"), wish("v0", "write_policy", "unprotected_write_back")
    plan = planned("9271", tmp_path, *wishes)
    assert (len(plan.steps), len(plan.refusals)) == (1, 1)


def test_loose_files_are_planned_with_the_program_they_are_of(tmp_path: Path) -> None:
    """Nobody told of the card; a plan can be shown all the same."""
    loose = replace(card("9271", tmp_path), told_by=None)
    plan = change.plan(loose, [wish("v0", "write_policy", "write_through")], [Tool(name="storcli")])
    assert [step.action.argv[0] for step in plan.steps] == ["storcli"]
    assert change.current_settings(loose) == {}


@pytest.mark.parametrize("name", ["9271", "perc5i"])
def test_a_flush_interval_is_said_to_be_of_no_known_range(tmp_path: Path, name: str) -> None:
    """No manual tells which values the firmware takes."""
    found, tools = seen(simulated(name, tmp_path))
    [step] = change.plan(found, [wish("", "flush_interval", "7")], tools).steps
    assert "undocumented" in step.affects[0]


@pytest.mark.parametrize(("stand", "wanted", "said"), [
    ("adaptive", "none", True), ("NoRA", "adaptive", True), ("NoRA", "read_ahead", False),
])  # fmt: skip
def test_megacli_may_not_know_adaptive_read_ahead_any_more(tmp_path: Path, stand: str, wanted: str, said: bool) -> None:
    """Neither to set it nor to put it back: the plan says so."""
    found, tools = seen(simulated("perc5i", tmp_path, {"v0/rdcache": stand}))
    [step] = change.plan(found, [wish("v0", "read_policy", wanted)], tools).steps
    assert any("ADRA" in text for text in step.affects) == said
