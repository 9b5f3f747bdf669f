"""``verify --power-safe --powercut FILE``: what a run proves about a drive, and what not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.bench.powercut.report import Cut, How, Plan, PowerCutRun, Target
from raidctl.model import VolumeCache
from raidctl.verify.judge import verify as verify_claims
from raidctl.verify.powercut import joined
from raidctl.verify.subjects import whole
from raidctl.verify.wanted import claims
from tests.verify.checked_machines import checked_machine, raid_controller
from tests.verify.conftest import Verify

MACHINE, DRIVE, SERIAL = "drives-ahci", "drives:HBN1K7Q2", "HBN1K7Q2"
CACHES = {f"write cache of {SERIAL}": "enabled"}
Answered = Callable[..., tuple[int, dict[str, Any]]]


def cut(number: int, verdict: Any = "none", *, how: How = "plug", counted: bool = True) -> Cut:
    """A cut, as the witness judges it."""
    return Cut(
        number=number, at="2026-03-04T05:06:07Z", how=how, verdict=verdict, counted=counted, writes=1000,
        acknowledged=990, flushes=62, ended="silent", ok=4096, lost=17 * (verdict != "none"),
    )  # fmt: skip


def unread(number: int) -> Cut:
    """A cut after which blocks could not be read."""
    return msgspec.structs.replace(cut(number, "unknown", counted=False), lost=0, unreadable=3)


def run(*cuts: Cut, **of_target: Any) -> PowerCutRun:
    """A run on the first drive of the machine."""
    about: dict[str, Any] = {"serial": SERIAL, "caches": CACHES, **of_target}
    virtual = about.pop("virtual", None)
    target = Target(kind="device", name="/dev/sda", device="/dev/sda", **about)
    made = PowerCutRun(run="00000000000000a1", at="2026-03-04T05:06:07Z", raidctl="1", virtual=virtual, target=target,
                       plan=Plan(blocks=4096))  # fmt: skip
    return made.with_cuts(cuts)


@pytest.fixture
def answered(verify: Verify, tmp_path: Path) -> Answered:
    """The exit code and the answer about the first drive."""

    def ask(made: PowerCutRun, machine: str = MACHINE, *words: str) -> tuple[int, dict[str, Any]]:
        file = tmp_path / "run.json"
        file.write_bytes(msgspec.json.encode(made))
        done = verify(machine, "--json", "--power-safe", "--powercut", str(file), *words)
        document = msgspec.json.decode(done.stdout)
        return done.exit_code, document["answers"][0] if "answers" in document else {"said": done.output}

    return ask


def test_enough_cuts_of_that_drive_pass_what_its_settings_leave_open(answered: Answered) -> None:
    """Five cuts by a plug are enough. The answer has the bound, and each cut as evidence."""
    code, answer = answered(run(*map(cut, range(1, 6))), MACHINE, DRIVE)
    assert (code, answer["verdict"]) == (0, "pass")
    assert answer["reasons"][0] == "5 power cuts lost nothing: at most 45% of the cuts lose data (95% confidence)."
    assert sum(one["statement"].startswith("power cut") for one in answer["evidence"]) == 5


@pytest.mark.parametrize(
    ("options", "cuts", "verdict"),
    [("rw", "none", "pass"), ("rw,nobarrier", "none", "inconclusive"), ("rw,barrier=0", "lost", "fail")],
)
def test_a_run_shows_nothing_about_a_file_system_that_sends_no_flush(options: str, cuts: str, verdict: str) -> None:
    """The run flushed its writes; a file system mounted with nobarrier does not. A loss counts in any case."""
    owner = raid_controller(volume_cache=VolumeCache(), drive_cache=None, mountpoints=("/srv",))
    known = checked_machine(owner, options=options, serial=SERIAL)
    subjects = whole(known, drives=False)[0]
    report = verify_claims(known, claims({"power_safe": True}), subjects, (), ())
    made = run(*(cut(number, cuts) for number in range(1, 6)), caches={})
    [answer] = joined(report, made, known, subjects).answers
    assert answer.verdict == verdict


def test_one_loss_fails_it(answered: Answered) -> None:
    """This holds for any number of cuts without a loss, by any means."""
    code, answer = answered(run(*map(cut, range(1, 9)), cut(9, "reordered", how="unknown")), MACHINE, DRIVE)
    assert (code, answer["verdict"]) == (1, "fail")
    assert "Power cut 9" in answer["reasons"][0]
    assert "17 blocks (reordered)" in answer["reasons"][0]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (run(*map(cut, range(1, 5))), "4 power cuts without a loss count, and 5 are needed"),
        (run(*[cut(n, how="unknown") for n in range(1, 9)]), "0 power cuts without a loss count"),
        (run(*[cut(n, how="server") for n in range(1, 9)]), "0 power cuts without a loss count"),
        (run(*[cut(n, counted=False) for n in range(1, 9)]), "0 power cuts without a loss count"),
        (run(), "0 power cuts without a loss count"),
        (run(*map(cut, range(1, 9)), unread(9)), "After power cut 9, 3 blocks could not be read: they may be lost"),
        (run(*map(cut, range(1, 9)), virtual="kvm"), "made in a virtual machine"),
        (
            run(*map(cut, range(1, 9)), caches={f"write cache of {SERIAL}": "disabled"}),
            "was disabled during the power cuts, and is enabled now",
        ),
        (run(*map(cut, range(1, 9)), caches={}), "during the power cuts is unknown; it is enabled now"),
        (
            run(cut(1, "lost"), caches={f"write cache of {SERIAL}": "disabled"}),
            "was disabled during the power cuts, and is enabled now",
        ),
    ],
)
def test_what_a_run_does_not_show(answered: Answered, made: PowerCutRun, why: str) -> None:
    """With too few cuts or unknown means, nothing passes or fails.

    The same holds for other settings and a virtual machine.
    """
    code, answer = answered(made, MACHINE, DRIVE)
    assert (code, answer["verdict"]) == (3, "inconclusive")
    assert any(why in reason for reason in answer["reasons"]), answer["reasons"]


@pytest.mark.parametrize("serial", ["ANOTHER", None])
def test_a_run_of_another_drive_is_refused(answered: Answered, serial: str | None) -> None:
    """The same holds for a run of a drive without a serial number."""
    code, answer = answered(run(*map(cut, range(1, 9)), serial=serial, caches={}))
    assert code == 3
    assert "none of the volumes and drives here is known to be it" in answer["said"]


def test_the_claims_of_other_volumes_stay_as_they_are(verify: Verify, tmp_path: Path) -> None:
    """Only the drive with the power cuts has another verdict."""
    file = tmp_path / "run.json"
    file.write_bytes(msgspec.json.encode(run(*map(cut, range(1, 6)))))
    words = ("--json", "--power-safe")
    before = msgspec.json.decode(verify(MACHINE, *words).stdout)["answers"]
    after = msgspec.json.decode(verify(MACHINE, *words, "--powercut", str(file)).stdout)["answers"]
    assert [one["object"] for one in after] == [one["object"] for one in before]
    assert [one["object"] for one, other in zip(before, after, strict=True) if one != other] == [DRIVE]


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"run": 1}', msgspec.json.encode(run())[:-20]])
def test_a_file_that_is_no_run_is_named(verify: Verify, tmp_path: Path, content: bytes) -> None:
    """The message has the command that writes a run."""
    (tmp_path / "run.json").write_bytes(content)
    done = verify(MACHINE, "--power-safe", "--powercut", str(tmp_path / "run.json"))
    assert (done.exit_code, "is not a power-cut run" in done.stderr) == (3, True)


def test_it_is_evidence_for_one_claim(verify: Verify, tmp_path: Path) -> None:
    """It is refused with a measurement or a contract."""
    file = tmp_path / "run.json"
    file.write_bytes(msgspec.json.encode(run(cut(1))))
    done = verify(MACHINE, "--media", "hdd", "--powercut", str(file), DRIVE)
    assert (done.exit_code, "which is not claimed" in " ".join(done.stderr.split())) == (3, True), done.output
    done = verify(MACHINE, "--measure", "--power-safe", "--powercut", str(file), DRIVE)
    assert (done.exit_code, "--powercut cannot be used with" in done.stderr) == (2, True)
