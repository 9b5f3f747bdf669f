"""``raidctl locate`` as it is typed: targets, exit codes, list and off."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from raidctl.cli.locate import _activity
from raidctl.cli.shared.locate_leds import desired_state, find_leds, led_machine
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.plan_change import AGREED, work_on
from raidctl.errors import ChangeUndone
from raidctl.locate.kernel import read_kernel_leds
from raidctl.recording.manifest import Manifest
from raidctl.recording.recording import Recording
from raidctl.request import (
    Answer,
    Failure,
    Glob,
    Read,
    ReadAnswer,
    Request,
    RunAnswer,
    Write,
    WriteAnswer,
    converse,
    key,
)
from raidctl.runners.answers import answer_of
from raidctl.runners.replay import ReplayRunner
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.vendor import registry
from raidctl.vendor.simulator import State
from tests.locate.conftest import Clock
from tests.support.command_line import Raidctl
from tests.support.failing import answer_instead
from tests.support.machines import FIXTURES
from tests.support.over import over


@over(
    "demo, words, ids",
    [
        ("9271", ("v0",), [f"megaraid:0/252:{number}" for number in range(6)]),
        ("9271", ("/",), [f"megaraid:0/252:{number}" for number in range(6)]),
        ("9271", ("252:3", "serial:RC-WMC130371"), ["megaraid:0/252:3"]),
        ("sas", ("/dev/sdb",), ["drives:TGK00B2Y"]),
        ("sas", ("TGK00B2Y",), ["drives:TGK00B2Y"]),
        ("sas", ("bay:1", "bay:Slot 02"), ["drives:TGK00B2Y", "drives:TGK00C3Z"]),
        ("sas", ("bay:4",), ["enclosure:0x5003048001a2b3bd/Slot 04"]),
        ("nvme", ("/dev/nvme1n1",), ["drives:QZDC46P00291"]),
    ],
)
def test_a_target_means_its_drives(raidctl: Raidctl, demo: str, words: tuple[str, ...], ids: list[str]) -> None:
    """A volume and a mount point mean all member drives. A drive named twice blinks once."""
    done = raidctl("--demo", demo, "locate", *words, "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    assert [one["object_id"] for one in json.loads(done.stdout)["targets"]] == ids


def test_the_list_names_each_bay_once(raidctl: Raidctl) -> None:
    """The id of a bay has its enclosure already."""
    shown = raidctl("--demo", "raid6", "locate", "list").stdout.splitlines()
    assert shown[2:4] == [
        "enclosure:0x5003048001a2b3bd/Slot 01 · /dev/sda · serial ZC1A00K1",
        "     off, via the enclosure (SES)",
    ]
    planned = raidctl("--demo", "raid6", "locate", "/dev/sdc", "--dry-run").stdout
    assert "enclosure 0x5003048001a2b3bd, bay Slot 03: would blink" in planned


@pytest.mark.parametrize("name", ["md-healthy", "megaraid-9271-learning", "lab-md"])
def test_a_recording_without_leds_does_not_show_that_none_is_on(raidctl: Raidctl, name: str) -> None:
    """Which LEDs are on is unknown, with exit code 3. The same holds if the bays could not be listed."""
    done = raidctl("--replay", str(FIXTURES / name), "locate", "list")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (3, "No LED is known.")
    assert "which LEDs are on is unknown" in done.stderr


def test_bays_that_cannot_be_listed_are_named() -> None:
    """A machine whose LEDs cannot be listed is not one without LEDs."""
    leds = converse(read_kernel_leds(), ReplayRunner(Recording(Manifest(format="raidctl-record 1"), {})))
    assert leds.all() == ()
    assert [pattern.split("*")[0] for pattern, _ in leds.unlisted] == [
        "/sys/class/enclosure/",
        "/sys/class/enclosure/",
        "/sys/class/leds/",
        "/sys/bus/pci/slots/",
        "/sys/bus/pci/devices/[0-9a-f]",
    ]


@over(
    "words, code, text",
    [
        (("locate", "nonesuch"), 2, "No object is called"),
        (("locate", "megaraid:0"), 2, "is a controller"),
        (("locate", "enclosure:0x1/Slot 01"), 2, "No bay is called"),
        (("locate", "252:3", "--for", "2d"), 2, "is not a time"),
        (("locate", "252:3", "--for", "0"), 2, "is not between"),
        (("locate",), 2, "Find a drive in its rack"),
    ],
)
def test_wrong_words_change_nothing(
    raidctl: Raidctl, clock: Clock, words: tuple[str, ...], code: int, text: str
) -> None:
    """One sentence that names the mistake."""
    done = raidctl("--demo", "9271", *words)
    assert done.exit_code == code, done.output
    assert text in done.output
    assert clock.waited == []


def test_a_bay_that_is_not_there_is_no_neighbour(raidctl: Raidctl) -> None:
    """No other bay is suggested: somebody could pull the drive in it."""
    done = raidctl("--demo", "sas", "locate", "bay:Slot 14")
    assert done.exit_code == 2
    assert re.sub(r"raidctl --demo sas --state-dir \S+", "raidctl", done.stderr) == (
        'raidctl: No object is called "bay:Slot 14"; "raidctl show" lists the bays with a drive, '
        '"raidctl locate list" empty ones.\n'
    )


def test_a_drive_that_cannot_be_read_is_not_reported_as_blinking(
    raidctl: Raidctl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen reports a flashing LED only after reading the drive.

    By activity, the LED flashes until the time is over.
    """
    passed = [0.0]
    monkeypatch.setattr(_activity, "clock", lambda: passed[0])
    monkeypatch.setattr(_activity, "sleep", lambda seconds: passed.__setitem__(0, passed[0] + seconds))
    done = raidctl("--demo", "sas", "locate", "/dev/sdb", "--by", "activity", "--for", "3s")
    assert (done.exit_code, passed[0]) == (0, 3.0), done.output
    assert "BLINKS via reads of the drive" in done.stdout
    planned = raidctl("--demo", "sas", "locate", "/dev/sdb", "--by", "activity", "--dry-run", "--json")
    assert json.loads(planned.stdout)["targets"][0]["on"] is None
    dead = RunAnswer(code=1, err=b"dd: error reading '/dev/sdb': Input/output error\n")
    answer_instead(monkeypatch, lambda request: dead if getattr(request, "argv", ("",))[0] == "dd" else None)
    done = raidctl("--demo", "sas", "locate", "/dev/sdb", "--by", "activity")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "/dev/sdb cannot be read from, so its activity LED does not flash: dd: error reading" in done.stderr


def test_a_recording_is_not_changed(raidctl: Raidctl) -> None:
    """Refused, but what would be done can be printed."""
    path = str(Path(__file__).resolve().parents[2] / "fixtures" / "megaraid-h730p-predictive")
    assert raidctl("--replay", path, "locate", "32:5").exit_code == 2
    assert "/c0/e32/s5 start locate" in raidctl("--replay", path, "locate", "32:5", "--dry-run").stdout


def test_drives_that_cannot_be_located_are_named_with_the_reasons(raidctl: Raidctl, clock: Clock) -> None:
    """The others still blink; the exit code is 1."""
    done = raidctl("--demo", "nvme", "locate", "/dev/nvme0n1", "/dev/nvme1n1", "--json")
    assert (done.exit_code, clock.waited) == (1, [600.0])
    first, second = json.loads(done.stdout)["targets"]
    assert (first["on"], first["way"], second["on"], second["way"]) == (None, None, True, "pci_slot")
    assert [one["way"] for one in first["passed"]] == ["enclosure", "npem", "pci_slot", "tool", "ledctl", "sg_ses"]
    assert "hot plug slot" in first["why_not"]


def test_what_is_on_already_is_left_on(
    raidctl: Raidctl, state: Callable[[str], State], clock: Clock, tmp_path: Path
) -> None:
    """An LED that somebody else has switched on stays on. Only ``off`` switches it off."""
    led = "file /sys/class/enclosure/0:0:20:0/Slot 01/locate"
    raidctl("--demo", "sas", "show")
    (tmp_path / "state" / "demo" / "sas" / "settings.json").write_text(json.dumps(state("sas") | {led: "1\n"}))
    done = raidctl("--demo", "sas", "locate", "/dev/sdb")
    assert (done.exit_code, clock.waited) == (0, [])
    assert state("sas")[led] == "1\n"
    off = raidctl("--demo", "sas", "locate", "off", "/dev/sdb")
    assert off.exit_code == 0, off.output
    assert led not in state("sas")


def test_a_second_locate_of_the_drive_is_refused(raidctl: Raidctl, clock: Clock) -> None:
    """The running one is named. Another drive can be located at the same time."""
    codes: list[int] = []
    messages: list[str] = []

    def again() -> None:
        clock.meanwhile = lambda: None
        for word in ("/dev/sdb", "/dev/sdc"):
            done = raidctl("--demo", "sas", "locate", word)
            codes.append(done.exit_code)
            messages.append(done.output)

    clock.meanwhile = again
    assert raidctl("--demo", "sas", "locate", "/dev/sdb").exit_code == 0
    assert codes == [3, 0]
    assert messages[0].rstrip().endswith('locate off" switches it off.')


def test_an_led_that_can_no_longer_be_read_is_not_listed_as_on(
    raidctl: Raidctl, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state was readable when it was switched on, so it is unknown now even if the command succeeded."""
    found = list[object]()

    def unread(request: Request[Any]) -> Answer | None:
        path = getattr(request, "path", "") if isinstance(request, Read) else ""
        return ReadAnswer(trouble=Failure.FAILED) if path.endswith("/locate") else None

    def look() -> None:
        with monkeypatch.context() as patch:
            answer_instead(patch, unread)
            found.append(json.loads(raidctl("--demo", "sas", "locate", "list", "--json").stdout)["targets"][0]["on"])

    clock.meanwhile = look
    assert raidctl("--demo", "sas", "locate", "/dev/sdb").exit_code == 0
    assert found == [None]


def _denied(name: tuple[str, ...], request: Request[Any]) -> Answer | None:
    return answer_of(request, Failure.DENIED, "permission denied") if key(request) == name else None


@pytest.mark.parametrize("command", ["on", "off"])
@pytest.mark.parametrize(("demo", "target"), [("sas", "/dev/sdb"), ("nvme", "pci_slot:0000:c2:00"), ("raid6", "bay:3")])
def test_an_led_that_cannot_be_read_is_not_a_missing_one(
    raidctl: Raidctl, monkeypatch: pytest.MonkeyPatch, demo: str, target: str, command: str
) -> None:
    """Lists of LEDs and files that describe them may be denied. The LED is found in another way, or it is unknown.

    An LED that is found and whose own file cannot be read cannot be switched, and that is known.
    """
    asked: list[Request[Any]] = []
    words = ("--demo", demo, "locate", command, target, "--dry-run")
    with monkeypatch.context() as patch:
        answer_instead(patch, asked.append)
        assert raidctl(*words).exit_code == 0
    of_leds = re.compile("/sys/class/(enclosure|leds)/.*|/sys/bus/pci/slots/.*")
    files = {key(one) for one in asked if isinstance(one, (Glob, Read)) and of_leds.fullmatch(key(one)[-1])}
    files -= {("read", path) for _, path in files if re.search("/(locate|brightness|attention)$", path)}
    codes = dict[tuple[str, ...], int]()
    for file in files:
        with monkeypatch.context() as patch:
            answer_instead(patch, partial(_denied, file))
            codes[file] = raidctl(*words).exit_code
    assert len(files) > 3
    assert {file: code for file, code in codes.items() if code not in (0, 3)} == {}


def test_off_without_anything_on_reports_it(raidctl: Raidctl) -> None:
    """Nothing is touched, exit code 0."""
    done = raidctl("--demo", "sas", "locate", "off")
    assert (done.exit_code, done.stdout) == (0, "No locate LED was switched on by raidctl.\n")


def test_a_tool_that_refuses_leaves_nothing_on(
    raidctl: Raidctl, clock: Clock, tmp_path: Path, state: Callable[[str], State]
) -> None:
    """A drive gone since it was listed gives exit code 5. There is nothing to undo."""
    raidctl("--demo", "p440", "show")
    settings = tmp_path / "state" / "demo" / "p440" / "settings.json"
    without = {name: value for name, value in state("p440").items() if name != "led slot=0 pd 1I:1:4"}
    settings.write_text(json.dumps(without))
    done = raidctl("--demo", "p440", "locate", "1I:1:4")
    assert done.exit_code == 5, done.output
    assert (clock.waited, state("p440")) == ([], without)


@dataclass
class WithoutEffect:
    """A machine that accepts every write, and changes nothing."""

    machine: Simulated

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        return [WriteAnswer() if isinstance(one, Write) else self.machine.answer(one) for one in requests]


def test_an_led_that_stays_dark_is_a_failure(tmp_path: Path) -> None:
    """A change fails and is undone if the LED stays dark. The enclosure accepts the write."""
    vendors = registry.vendors()[0]
    runner = WithoutEffect(machine("sas", vendors, tmp_path))
    named = Machine(runner=runner, vendors=vendors, source="demo:sas")
    found = find_leds(named, ["/dev/sdb"], 60)
    work = work_on(led_machine(named, found.indicators), tmp_path, desired_state(found.indicators, "on"), AGREED)
    change = work.change(work.begin("locate", "a test"), lambda _: None)
    change.sleep = lambda _: None
    with pytest.raises(ChangeUndone, match="is off instead of on"):
        change.apply()
