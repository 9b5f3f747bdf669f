"""Every family with a command. The tests cover its words, what its replies mean, and that nothing else is ever run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.locate import vendor_tools
from raidctl.locate.kernel import KernelLeds
from raidctl.locate.targets import resolve
from raidctl.model import Controller, Drive
from raidctl.recording.recording import load
from raidctl.request import RunAnswer, converse
from raidctl.runners.replay import ReplayRunner
from raidctl.select import family_of
from raidctl.survey.survey import survey
from raidctl.vendor.locating import NoLight, fits, locating_of
from raidctl.vendor.plan import Action
from raidctl.vendor.shapes import FORCING
from raidctl.vendor.simulator import State
from tests.locate.conftest import Clock
from tests.locate.locate_machines import ROOT, VENDORS, simulated
from tests.support.command_line import Raidctl
from tests.support.machines import MACHINES, replayed
from tests.support.over import over

DEMOS = [
    ("p440", "1I:1:4", "led slot=0 pd 1I:1:4", "hpssacli ctrl slot=0 pd 1I:1:4 modify led=on duration=600"),
    ("p400", "2I:1:1", "led slot=1 pd 2I:1:1", "hpacucli ctrl slot=1 pd 2I:1:1 modify led=on"),
    ("gen10", "1I:3:1", "led slot=0 pd 1I:3:1", "ssacli ctrl slot=0 pd 1I:3:1 modify led=on duration=600"),
    ("9271", "252:3", "led 0 252:3", "storcli64 /c0/e252/s3 start locate nolog J"),
    ("h730", "32:5", "led 0 32:5", "perccli64 /c0/e32/s5 start locate nolog J"),
    ("9660", "310:0", "led 0 310:0", "storcli2 /c0/e310/s0 start locate nolog J"),
    ("perc5i", "8:1", "led 0 8:1", "MegaCli -PdLocate -start '-physdrv[8:1]' -a0 -NoLog"),
    ("6805", "0,3", "led 1 0 3", "arcconf IDENTIFY 1 DEVICE 0 3 TIME 600"),
    ("3154", "0,3", "led 1 0 3", "arcconf IDENTIFY 1 DEVICE 0 3 TIME 600"),
]


@pytest.mark.slow
@over("case", DEMOS)
def test_each_tool_blinks_a_drive_and_stops(
    raidctl: Raidctl, state: Callable[[str], State], clock: Clock, case: tuple[str, str, str, str]
) -> None:
    """The exact command is shown. The LED is on while the time passes, and off afterwards."""
    demo, target, led, command = case
    planned = raidctl("--demo", demo, "locate", target, "--dry-run")
    assert planned.exit_code == 0
    shown = planned.stdout.splitlines()[-1].removeprefix("1. ")
    assert shown == command or shown.endswith(f"/{command}")
    seen: list[str] = []
    clock.meanwhile = lambda: seen.append(state(demo)[led])
    done = raidctl("--demo", demo, "locate", target)
    assert (done.exit_code, seen, state(demo)[led]) == (0, ["on"], "off"), done.output
    assert {key: value for key, value in state(demo).items() if key.startswith("led ") and value != "off"} == {}


@over(
    "machine, target, commands, expected",
    [
        ("threeware-9690sa-rebuilding", "p3", ("/c6/p3 set identify=on", "/c6/p3 set identify=off"), ["on", "off"]),
        ("areca-arc1882-degraded", "E2:S4", ("disk identify drv=8", "disk identify drv=0"), []),
    ],
)
def test_a_tool_without_a_demo_blinks_a_drive_and_stops(
    tmp_path: Path, machine: str, target: str, commands: tuple[str, str], expected: list[str]
) -> None:
    """A recorded machine's commands are accepted by its simulator. The state of 3ware is read back."""
    runner = simulated(machine, tmp_path / machine)
    seen = survey(runner, VENDORS, source="test")
    wanted = resolve(seen.inventory, seen.view, KernelLeds(), [target])
    [indicator] = converse(vendor_tools.find(wanted, VENDORS, seen.inventory.tools, 60), runner).values()
    assert isinstance(indicator, Indicator), indicator
    assert (" ".join(indicator.on.argv[1:]), " ".join(indicator.off.argv[1:])) == commands
    way = vendor_tools.offered(VENDORS, indicator.id.partition(":")[0])
    assert way is not None
    states = []
    for action in (indicator.on, indicator.off):
        [answer] = runner.carry_out([action.request()])
        assert way.judge(action, answer) is None
        states += (
            [one.state for one in converse(vendor_tools.read_states([indicator], way), runner)]
            if indicator.look
            else []
        )
    assert states == expected


def test_guard_X5_every_command_has_a_permitted_form() -> None:
    """On, off and look of each recorded drive fit the table. No word forces anything."""
    count = 0
    for machine in MACHINES:
        seen = replayed(machine)
        runner = ReplayRunner(load(ROOT / "fixtures" / machine))
        for controller in seen.inventory.controllers:
            vendor = next(one for one in [*VENDORS, None] if one is None or family_of(controller) == one.FAMILY)
            way = locating_of(vendor) if vendor is not None else None
            if way is None:
                continue
            ids = [drive.id for drive in controller.drives]
            wanted = resolve(seen.inventory, seen.view, KernelLeds(), ids)
            found = converse(vendor_tools.find(wanted, VENDORS, seen.inventory.tools, 60), runner)
            for indicator in found.values():
                assert isinstance(indicator, Indicator) or indicator
                for argv in (indicator.on.argv, indicator.off.argv) if isinstance(indicator, Indicator) else ():
                    count += 1
                    assert fits(argv[1:], way.SHAPES), argv
                    assert not any(FORCING.fullmatch(word) for word in argv), argv
                    assert argv[1:2] != ("IDENTIFY",) or argv[-1] == "STOP" or argv[-2] == "TIME"
    assert count > 60


@over(
    "family, words",
    [
        ("smartarray", "ctrl slot=1 pd 1I:1:4 modify led=on forced"),
        ("smartarray", "ctrl slot=1 pd all modify led=on"),
        ("smartarray", "ctrl slot=1 pd 1I:1:4 modify disablepd"),
        ("megaraid", "/c0/e252/s3 set offline nolog J"),
        ("megaraid", "/call/eall/sall start locate nolog J"),
        ("megaraid", "-PdLocate -start -physdrv[252:3] -aALL -NoLog"),
        ("adaptec", "IDENTIFY 1 ALL TIME 60"),
        ("adaptec", "IDENTIFY 1 DEVICE 0 3"),
        ("areca", "disk delete drv=1"),
        ("threeware", "/c0/p5 remove"),
        ("mpt", "0 LOCATE 1:4"),
        ("mpt", "0 DELETE noprompt"),
        ("marvell", "locate -o pd -i 0"),
        ("marvell", "delete -o vd -i 0"),
    ],
)
def test_guard_X5_another_command_has_none(family: str, words: str) -> None:
    """The table has no command that does more than blink one drive, and none that blinks without an end."""
    way = vendor_tools.offered(VENDORS, family)
    assert way is not None
    assert not fits(words.split(), way.SHAPES)


SSACLI = "ssacli ctrl slot=1 pd 1I:1:4 modify led=on"
STORCLI = "storcli /c0/e1/s2 start locate nolog J"
MEGACLI = "MegaCli -PdLocate -start -physdrv[1:2] -a0 -NoLog"
ARCCONF = "arcconf IDENTIFY 1 DEVICE 0 3"
DARK = "None of the LEDs are blinking.\nCommand aborted.\n"
SENT = "Adapter: 0: Device at EnclId-1 SlotId-2  -- PD Locate Start Command was successfully sent to Firmware \n\n"
ENVELOPE = '{"Controllers":[{"Command Status":{"Status":"%s","Description":"Start Drive Locate %s."}}]}'
ANSWERS = [
    ("smartarray", SSACLI, 0, "\n", True),
    ("smartarray", SSACLI, 1, "\nError: The specified device was not found.\n", False),
    ("megaraid", STORCLI, 0, ENVELOPE % ("Success", "Succeeded"), True),
    ("megaraid", STORCLI, 0, ENVELOPE % ("Failure", "Failed"), False),
    ("megaraid", MEGACLI, 0, f"{SENT}Exit Code: 0x00\n", True),
    ("megaraid", MEGACLI, 0, "Exit Code: 0x00\n", False),
    ("adaptec", f"{ARCCONF} TIME 60", 0, "Controllers found: 1\nCommand completed successfully.\n", True),
    ("adaptec", f"{ARCCONF} TIME 60", 1, DARK, False),
    ("adaptec", f"{ARCCONF} STOP", 1, DARK, True),
    ("areca", "cli64 disk identify drv=3", 0, "GuiErrMsg<0x00>: Success.\n", True),
    ("areca", "cli64 disk identify drv=3", 0, "GuiErrMsg<0x4a>: Password required.\n", False),
    ("areca", "cli64 disk identify drv=3", 0, "", False),
    ("threeware", "tw_cli /c0/p5 set identify=on", 0, "Setting Port Identify on /c0/p5 to [on] ... Done.\n", True),
    ("threeware", "tw_cli /c0/p5 set identify=on", 0, "Setting Port Identify on /c0/p4 to [on] ... Done.\n", False),
    ("threeware", "tw_cli /c0/p5 set identify=on", 0, "Error: (CLI:144) Invalid drive(s) specified.\n", False),
    ("mpt", "sas3ircu 0 LOCATE 1:4 ON", 0, "SAS3IRCU: Command LOCATE Completed Successfully.\n", True),
    ("mpt", "sas3ircu 0 LOCATE 1:4 ON", 0, "SAS3IRCU: Error executing command LOCATE.\n", False),
    ("marvell", "mvcli locate -o pd -i 0 -a on", 0, "SG driver version 3.5.36.\n", True),
    ("marvell", "mvcli locate -o pd -i 0 -a on", 0, "Error: the PD does not support it.\n", False),
    ("marvell", "mvcli locate -o pd -i 0 -a on", 1, "", False),
]


@over("family, command, code, text, accepted", ANSWERS)
def test_words_decide_and_not_the_exit_code(family: str, command: str, code: int, text: str, accepted: bool) -> None:
    """Only each tool's own words mean success. Anything else, or silence where words belong, is an objection."""
    way = vendor_tools.offered(VENDORS, family)
    assert way is not None
    fault = way.judge(Action(argv=tuple(command.split())), RunAnswer(code=code, out=text.encode()))
    assert (fault is None) == accepted, fault


HELP_A = " Usage: IDENTIFY <Controller#> DEVICE <Channel# ID#> [TIME <BlinkTime>] [STOP] [nologs]\n"
HELP_B = " Usage: identify <Controller#> device <Channel#> <Device#> [start|stop]\n"


@over("text, can", [(HELP_A, True), (HELP_B, False), ("", False), ("Command aborted.\n", False)])
def test_arcconf_is_used_only_if_its_help_names_a_time(text: str, can: bool) -> None:
    """Without TIME it would wait for a key. An unreadable state is not guessed."""
    from raidctl_adaptec.locate import _unknown_grammar  # noqa: PLC0415 - the family's own

    assert (_unknown_grammar(RunAnswer(code=3, out=text.encode())) is None) == can


@pytest.mark.parametrize("denied", ["Yes", "No"])
def test_a_controller_that_denies_locating_is_not_asked(denied: str) -> None:
    """``Deny Locate = Yes`` of the PD operations is a reason. For the VD operations, it is not."""
    seen = replayed("megaraid-h730p-predictive")
    controller = next(controller for controller in seen.inventory.controllers if controller.drives)
    label = "Supported {} Operations: Deny Locate"
    controller = replace(
        controller, details={**controller.details, label.format("PD"): denied, label.format("VD"): "Yes"}
    )
    wanted = [replace(one, controller=controller) for one in resolve(seen.inventory, seen.view, KernelLeds(), ["32:5"])]
    runner = ReplayRunner(load(ROOT / "fixtures" / "megaraid-h730p-predictive"))
    [indicator] = converse(vendor_tools.find(wanted, VENDORS, seen.inventory.tools, 60), runner).values()
    assert isinstance(indicator, str) == (denied == "Yes")


def test_a_controller_that_only_raidctl_mfi_reports_has_its_reason() -> None:
    """The reason is not that raidctl-mfi only reads: it has a command for the LED, which is never confirmed."""
    from raidctl_megaraid.locate import lights  # noqa: PLC0415 - the family's own

    controller = Controller(id="megaraid:0", told_by="raidctl-mfi")
    runner = ReplayRunner(load(ROOT / "fixtures" / "lab-megasas"))
    [none] = converse(lights(controller, [Drive(id="megaraid:0/252:3")], [], 60), runner)
    assert isinstance(none, NoLight)
    assert "never confirms it" in none.why
