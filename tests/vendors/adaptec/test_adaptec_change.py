"""Plans of setcache commands, and how the tool's replies are judged."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from raidctl.model import Controller, Tool
from raidctl.request import Failure, ReadAnswer, RunAnswer
from raidctl.vendor.plan import Action, Desired, Plan, Setting
from raidctl_adaptec.change import current_settings, flushes, judge, plan
from tests.vendors.adaptec.adaptec_outputs import controller_of, drive_text, machine, part, pqi, volume_text

TOOLS = (Tool(name="arcconf", path="/usr/sbin/arcconf"),)
DRIVES_OFF = {"Global Physical Device Write Cache Policy": "Disabled"}


def planned(text: str, *wanted: tuple[str, Setting, str], tools: Sequence[Tool] = TOOLS) -> Plan:
    """The plan for desired settings on the controller of an output."""
    return planned_on(controller_of(text), *wanted, tools=tools)


def planned_on(controller: Controller, *wanted: tuple[str, Setting, str], tools: Sequence[Tool] = TOOLS) -> Plan:
    """The plan for desired settings on a controller. Objects are named without the controller's id."""
    ids = {item: f"adaptec:1/{item}" if item else "adaptec:1" for item, _, _ in wanted}
    desired = [Desired(object_id=ids[item], setting=setting, value=value) for item, setting, value in wanted]
    return plan(controller, desired, tools)


def commands(made: Plan) -> list[str]:
    """Each step's command and what undoes it, without the tool's name."""
    assert not made.refusals
    return [f"{' '.join(step.action.argv[1:])} | {' '.join(step.undo.argv[1:])}" for step in made.steps]


def refused(made: Plan) -> list[tuple[str, str]]:
    """Kind and reason of the refusals of a plan without a step."""
    assert not made.steps
    return [(refusal.kind, refusal.reason) for refusal in made.refusals]


# --- aacraid


@pytest.mark.parametrize(
    ("configured", "before"),
    [
        ("Disabled", "wt"),
        ("Disabled (write-through)", "wt"),
        ("Enabled", "wb"),
        ("Enabled (write-back)", "wb"),
        ("On when protected by battery/ZMM", "wbb"),
        ("Enabled (write-back) when protected by battery/ZMM", "wbb"),
    ],
)
@pytest.mark.parametrize(
    ("wanted", "mode"), [("write_through", "wt"), ("protected_write_back", "wbb"), ("unprotected_write_back", "wb")]
)
def test_a_write_policy_is_one_command_with_its_undo(configured: str, before: str, wanted: str, mode: str) -> None:
    """One command changes any write policy to any other. An unchanged value, which would fail, is never sent."""
    made = planned(
        machine(volumes=[volume_text(0, {"Write-cache setting": configured})]), ("v0", "write_policy", wanted)
    )
    if mode == before:
        assert (made.steps, len(made.already)) == ((), 1)
    else:
        whole = "setcache 1 logicaldrive 0 {} noprompt"
        assert commands(made) == [f"{whole.format(mode)} | {whole.format(before)}"]


def test_read_and_write_cache_are_two_settings() -> None:
    """Read and write cache have a command each, in the request's order. Both persist and share one lock."""
    made = planned(machine(), ("v0", "read_policy", "off"), ("v0", "write_policy", "write_through"))
    assert [step.action.argv[5] for step in made.steps] == ["roff", "wt"]
    assert all(step.persistent and step.action.lock == "adaptec" for step in made.steps)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("write_policy", "off"), ("read_policy", "none"), ("read_policy", "adaptive"), ("io_policy", "direct"),
        ("drive_write_cache", "default"), ("stripe_cache_size", "512"),
    ],
)  # fmt: skip
def test_settings_that_an_aacraid_volume_lacks_are_refused(setting: Setting, value: str) -> None:
    """A setting or value that an aacraid volume lacks is unsupported. The refusal gives a reason."""
    [(kind, reason)] = refused(planned(machine(), ("v0", setting, value)))
    assert (kind, reason[-1]) == ("unsupported", ".")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("cache_split", "25/75"), ("no_battery_write_cache", "enabled"), ("bypass_threshold", "512")],
)
def test_smartpqi_settings_are_refused_on_aacraid(setting: Setting, value: str) -> None:
    """Cache ratio, no-battery write cache and bypass threshold exist on smartpqi only."""
    [(kind, reason)] = refused(planned(machine(), ("", setting, value)))
    assert (kind, "aacraid" in reason) == ("unsupported", True)


def test_an_unknown_write_setting_is_not_changed() -> None:
    """An unknown write policy is not changed. It could not be restored."""
    bare = volume_text(0, {"Write-cache setting": "Unknown"})
    [(kind, reason)] = refused(planned(machine(volumes=[bare]), ("v0", "write_policy", "write_through")))
    assert (kind, "undone" in reason) == ("unknown", True)


def test_a_volume_without_a_write_cache_is_left_alone() -> None:
    """A volume whose write cache is not supported has nothing to set."""
    none = volume_text(0, {"Write-cache setting": "Not supported", "Write-cache status": "Not supported"})
    [(kind, _)] = refused(planned(machine(volumes=[none]), ("v0", "write_policy", "write_through")))
    assert kind == "unsupported"


def test_all_drives_are_switched_with_one_command() -> None:
    """One command switches all drives if controller and drives agree. The plan names them."""
    made = planned(machine(DRIVES_OFF), ("v0", "drive_write_cache", "enabled"))
    assert commands(made) == ["setcache 1 deviceall enable noprompt | setcache 1 deviceall disable noprompt"]
    assert "all drives" in made.steps[0].affects[0]


def test_two_volumes_need_the_command_for_all_drives_once() -> None:
    """Two volumes need the command for all drives only once."""
    text = machine(DRIVES_OFF, volumes=[volume_text(0), volume_text(1)])
    made = planned(text, ("v0", "drive_write_cache", "enabled"), ("v1", "drive_write_cache", "enabled"))
    assert len(commands(made)) == 1


@pytest.mark.parametrize("policy", [None, "Drive Specific", "Enabled"])
def test_drives_with_different_caches_are_not_switched_together(policy: str | None) -> None:
    """One command could not restore drives whose caches are unknown or differ."""
    settings = {} if policy is None else {"Global Physical Device Write Cache Policy": policy}
    [(kind, _)] = refused(planned(machine(settings), ("v0", "drive_write_cache", "disabled" if policy else "enabled")))
    assert kind == "unknown"


def test_one_drive_is_switched_by_channel_and_device() -> None:
    """The command names channel and device before wb or wt."""
    made = planned(machine(), ("0,1", "write_cache", "enabled"))
    assert commands(made) == ["setcache 1 device 0 1 wb noprompt | setcache 1 device 0 1 wt noprompt"]


def test_a_drive_with_an_unknown_cache_is_not_switched() -> None:
    """An unknown drive cache is not switched. It could not be restored."""
    text = machine(drives=[drive_text(0, {"Write Cache": "Unknown"}), drive_text(1)])
    [(kind, _)] = refused(planned(text, ("0,0", "write_cache", "disabled")))
    assert kind == "unknown"


# --- smartpqi


def test_caching_of_a_volume_is_switched_for_reads_and_writes() -> None:
    """Write-through disables caching. The plan reports that reads lose the cache too."""
    made = planned(pqi(), ("v0", "write_policy", "write_through"))
    assert commands(made) == ["setcache 1 logicaldrive 0 coff noprompt | setcache 1 logicaldrive 0 con noprompt"]
    assert "Reads" in made.steps[0].affects[0]


def test_unprotected_write_back_is_the_no_battery_write_cache() -> None:
    """Unprotected write-back enables caching first and removes the protection last."""
    off = pqi(volume={"Caching": "Disabled", "LD Acceleration Method": "None"})
    made = planned(off, ("v0", "write_policy", "unprotected_write_back"))
    assert [step.setting for step in made.steps] == ["caching", "nobatterywritecache"]


def test_the_way_back_to_protected_begins_with_the_protection() -> None:
    """The protection is restored before caching is enabled."""
    bold = pqi(
        cache={"No-Battery Write Cache": "Enabled"}, volume={"Caching": "Disabled", "LD Acceleration Method": "None"}
    )
    made = planned(bold, ("v0", "write_policy", "protected_write_back"))
    assert [(step.setting, step.after) for step in made.steps] == [
        ("nobatterywritecache", "disable"),
        ("caching", "con"),
    ]


def test_the_ratio_is_two_words() -> None:
    """The cache ratio is sent as two arguments, read and write percent."""
    made = planned(pqi(), ("", "cache_split", "20/80"))
    assert commands(made) == ["setcache 1 cacheratio 20 80 | setcache 1 cacheratio 10 90"]


def test_an_unknown_ratio_is_not_changed() -> None:
    """An unknown cache ratio is not changed. It could not be restored."""
    text = pqi(cache={"Read Cache Percentage": "Not Applicable", "Write Cache Percentage": "Not Applicable"})
    [(kind, _)] = refused(planned(text, ("", "cache_split", "20/80")))
    assert kind == "unknown"


@pytest.mark.parametrize(
    ("wanted", "fits"), [("512", True), ("16", True), ("1056", False), ("100", False), ("", False)]
)
def test_the_threshold_is_in_steps_of_sixteen_kib(wanted: str, *, fits: bool) -> None:
    """The bypass threshold is 16 to 1040 KiB in steps of 16. The current value is not set again."""
    text = pqi(cache={"Write Cache Bypass Threshold Size": "1040 KB"})
    made = planned(text, ("", "bypass_threshold", wanted))
    assert bool(made.steps) == fits
    assert planned(text, ("", "bypass_threshold", "1040")).already


@pytest.mark.parametrize(("item", "setting"), [("v0", "drive_write_cache"), ("0,1", "write_cache")])
def test_policies_that_are_bare_numbers_are_refused(item: str, setting: Setting) -> None:
    """The numeric values of drivewritecachepolicy are not documented, so none is sent."""
    [(kind, reason)] = refused(planned(pqi(), (item, setting, "enabled")))
    assert (kind, "number" in reason) == ("unsupported", True)


def test_a_volume_past_the_cache_is_not_cached() -> None:
    """A volume with SSD I/O bypass cannot be cached."""
    text = pqi(volume={"Caching": "Disabled", "LD Acceleration Method": "SSD I/O Bypass"})
    [(kind, reason)] = refused(planned(text, ("v0", "write_policy", "protected_write_back")))
    assert (kind, "bypass" in reason) == ("unsupported", True)


def test_read_ahead_is_refused_with_the_cache_split_as_alternative() -> None:
    """Smartpqi controllers have no read-ahead setting; the refusal names the cache split."""
    [refusal] = planned(pqi(), ("v0", "read_policy", "off")).refusals
    assert "cache split" in (refusal.alternative or "")


# --- both


def test_a_controller_in_hba_mode_caches_nothing() -> None:
    """A controller in HBA mode has no cache setting."""
    [(kind, reason)] = refused(planned(pqi({"Controller Mode": "HBA"}), ("v0", "write_policy", "write_through")))
    assert (kind, "HBA" in reason) == ("unsupported", True)


def test_without_the_tool_nothing_is_planned() -> None:
    """Without arcconf, a change is refused."""
    [(kind, _)] = refused(planned(machine(), ("v0", "write_policy", "write_through"), tools=()))
    assert kind == "unknown"


def test_an_ambiguous_controller_number_is_not_addressed() -> None:
    """A controller whose id does not give arcconf's number is not changed."""
    controller = msgspec.structs.replace(controller_of(machine()), id="adaptec:1-2")
    made = plan(controller, [Desired(object_id="adaptec:1/v0", setting="write_policy", value="write_through")], TOOLS)
    assert [kind for kind, _ in refused(made)] == ["unknown"]


def test_a_controller_of_unknown_generation_has_no_setting() -> None:
    """Without a known driver, no command is sent. The two generations use different words."""
    controller = msgspec.structs.replace(controller_of(machine()), driver=None, capabilities={})
    assert current_settings(controller) == {}
    assert [kind for kind, _ in refused(planned_on(controller, ("v0", "write_policy", "write_through")))] == ["unknown"]


def test_a_tool_off_the_path_is_called_by_its_path() -> None:
    """A tool outside the search path is called by its full path."""
    off = [Tool(name="arcconf", path="/usr/StorMan/arcconf")]
    made = planned(machine(), ("v0", "read_policy", "off"), tools=off)
    assert made.steps[0].action.argv[0] == "/usr/StorMan/arcconf"


def test_the_cache_has_no_flush_command() -> None:
    """No flush command exists; the refusal names write-through as the alternative."""
    [flush] = flushes(controller_of(machine()), TOOLS)
    assert flush.action is None
    assert "write-through" in (flush.alternative or "")


def test_a_controller_in_hba_mode_has_nothing_to_flush() -> None:
    """In HBA mode there is nothing to flush, and no alternative."""
    [flush] = flushes(controller_of(pqi({"Controller Mode": "HBA"})), TOOLS)
    assert (flush.action, flush.alternative) == (None, None)


def test_every_setting_is_read() -> None:
    """All settings of an aacraid and of a smartpqi controller are read."""
    old = machine(DRIVES_OFF, part("Controller ZMM Information", {"Status": "ZMM Optimal"}))
    assert {name for _, name in current_settings(controller_of(old))} == {"writecache", "readcache", "deviceall"}
    new = pqi(cache={"Write Cache Bypass Threshold Size": "1040 KB"})
    names = {"caching", "cacheratio", "nobatterywritecache", "writecachebypassthreshold"}
    assert {name for _, name in current_settings(controller_of(new))} == names


# --- the tool's replies

ACTION = Action(argv=("arcconf", "setcache", "1", "logicaldrive", "0", "wt", "noprompt"))


@pytest.mark.parametrize(
    ("code", "text", "accepted"),
    [
        (0, "Controllers found: 1\n\n\nCommand completed successfully.\n", True),
        (0, "Controllers found: 1\nCommand aborted.\n", False),
        (2, "Controllers found: 1\nThe mode is the same as the old one.\n\nCommand aborted.\n", False),
        (1, "Controllers found: 1\n\nCommand completed successfully.\n", False),
        (0, "Controllers found: 1\n", False),
        (0, "", False),
        (None, "", False),
        (0, "Command completed successfully.\nCommand aborted.\n", False),
    ],
)
def test_exit_code_and_closing_line_decide_together(code: int | None, text: str, *, accepted: bool) -> None:
    """A command succeeded only if exit code and closing line report success."""
    assert (judge(ACTION, RunAnswer(code=code, out=text.encode())) is None) == accepted


def test_the_words_of_the_tool_are_passed_on() -> None:
    """A failure quotes the tool's reason without its first and last line."""
    text = b"Controllers found: 1\nThe mode is the same as the old one.\n\nCommand aborted.\n"
    reported = judge(ACTION, RunAnswer(code=2, out=text))
    assert reported == "arcconf ended with exit code 2 and printed: The mode is the same as the old one."


def test_what_was_never_answered_is_not_judged() -> None:
    """A reply to a request other than a command is not judged."""
    assert judge(ACTION, ReadAnswer(trouble=Failure.MISSING)) is None


@pytest.mark.parametrize(("now", "wanted"), [("Enabled", "write_through"), ("Disabled", "protected_write_back")])
def test_undocumented_words_are_marked_as_not_verified(now: str, wanted: str) -> None:
    """The plan marks command words that no manual documents as not verified."""
    [step] = planned(pqi(volume={"Caching": now}), ("v0", "write_policy", wanted)).steps
    assert any("not verified" in text for text in step.affects)


@pytest.mark.parametrize("value", ["25/70", "half", "25", "-25/125", "25/75/0"])
def test_an_invalid_split_is_refused(value: str) -> None:
    """An invalid cache split is refused before any command runs."""
    assert refused(planned(pqi(), ("", "cache_split", value)))[0][0] == "unsupported"


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(
    ("now", "policy", "order"),
    [
        ("Enabled", "write_through", ["cacheratio", "caching"]),
        ("Disabled", "protected_write_back", ["caching", "cacheratio"]),
    ],
)
def test_a_split_is_set_while_a_volume_uses_the_cache(now: str, policy: str, order: list[str], direction: int) -> None:
    """The split is set only while some volume uses the cache."""
    desired: list[tuple[str, Setting, str]] = [("", "cache_split", "40/60"), ("v0", "write_policy", policy)]
    made = planned(pqi(volume={"Caching": now}), *desired[::direction])
    assert [step.setting for step in made.steps] == order


def test_smartpqi_volumes_cannot_differ_in_protection() -> None:
    """The no-battery write cache is one setting for all volumes."""
    controller = controller_of(pqi(volume={"Caching": "Disabled"}))
    other = msgspec.structs.replace(controller.volumes[0], id="adaptec:1/v1")
    both = msgspec.structs.replace(controller, volumes=(*controller.volumes, other))
    made = planned_on(
        both, ("v0", "write_policy", "protected_write_back"), ("v1", "write_policy", "unprotected_write_back")
    )
    assert ["all volumes" in refusal.reason for refusal in made.refusals] == [True]
