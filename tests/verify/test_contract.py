"""Contracts: promises as TOML, and the two claims about each drive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.cli import cli
from raidctl.toml_files.mistakes import MistakesError
from raidctl.verify import wanted
from raidctl.verify.contract import Contract, judged, read_contract
from raidctl.verify.judge import JUDGES
from raidctl.verify.report import Answer, ClaimName, Verdict
from raidctl.verify.requests import promised, request
from tests.verify.checked_machines import TB, checked_machine, raid_controller
from tests.verify.checked_machines import judged as answered

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "contract.toml"
BEGIN = "contract = 1\n"


def contract(text: str) -> Contract:
    """A contract of this text."""
    return read_contract("c.toml", (BEGIN + text).encode())


def with_drives(**of_each: Any) -> Any:
    """A machine whose six drives have these values."""
    whole = raid_controller()
    drives = tuple(replace(drive, **of_each) for drive in whole.drives)
    return replace(whole, drives=drives)


@pytest.mark.parametrize(
    ("hours", "age", "verdict"),
    [(100, "3 years", "pass"), (26_298, "3 years", "pass"), (26_299, "3 years", "fail"), (25, "1d", "fail"),
     (1_400, "2 months", "pass"), (None, "3 years", "inconclusive")],
)  # fmt: skip
def test_a_drive_is_as_old_as_its_power_on_time(hours: int | None, age: str, verdict: Verdict) -> None:
    """The claim fails if one drive is older; unknown hours are inconclusive."""
    assert answered(checked_machine(with_drives(power_on_hours=hours)), drive_age=age).verdict == verdict


def test_one_drive_decides_for_all() -> None:
    """An old or small drive fails the claim although another is unknown. An unknown one prevents a pass."""
    whole = with_drives(power_on_hours=10)
    unknown = replace(whole.drives[0], power_on_hours=None, size_bytes=None)
    old = replace(whole.drives[1], power_on_hours=90_000, size_bytes=TB)
    for first, second, verdict in ((unknown, whole.drives[1], "inconclusive"), (unknown, old, "fail")):
        known = checked_machine(replace(whole, drives=(first, second, *whole.drives[2:])))
        assert answered(known, drive_age="3 years").verdict == verdict
        assert answered(known, drive_size="2TB").verdict == verdict


def test_a_missing_drive_prevents_a_pass() -> None:
    """A missing drive prevents a pass. If six of a volume's eight drives are listed, two may have any size and age."""
    known = checked_machine(replace(with_drives(power_on_hours=1), volumes=raid_controller(drives_expected=8).volumes))
    assert answered(known, drive_size="2TB").verdict == answered(known, drive_age="1 year").verdict == "inconclusive"


def test_the_size_of_a_drive_is_the_least() -> None:
    """A drive of 2 TB passes for 2 TB and 1 TB. It does not pass for 4 TB."""
    verdicts = [
        answered(checked_machine(raid_controller()), drive_size=size).verdict for size in ("2TB", "1TB", "4TB", "2.2TB")
    ]
    assert verdicts == ["pass", "pass", "fail", "fail"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[every_volume]\nbatery = true", 3, "did you mean battery?"),
        ("[every_volume]\nbattery = false", 3, "leave it out"),
        ("[every_volume]\ndrives = '8'", 3, "a whole number"),
        ("[every_volume]\ndrives = true", 3, "a whole number"),
        ("[every_volume]\nraid-level = 6", 3, "quotation marks"),
        ("[every_volume]\nraid-level = 'raid7'", 3, '"raid7" is not a RAID level'),
        ("[every_volume]\ndrive_age = 'young'", 3, "is not an age"),
        ("[every_volume]\ndrives = 8\n\n[[volume]]\nraid_level = 'raid6'", 5, "target is missing"),
        ("[volume]\ntarget = '/'", 2, "two brackets"),
        ("battery = true", 2, "below [every_volume]"),
        ("", 1, "nothing is promised"),
        ("[every_volume]", 2, "nothing is promised here"),
        ("[every_volume]\ncache-size = '1GB'\ncache_size = '2GB'", 4, "given twice"),
        ("[every_volume", 2, "invalid TOML"),
    ],
)
def test_mistakes_have_their_line(text: str, line: int, message: str) -> None:
    """A mistake is reported with file and line, and nothing is judged."""
    with pytest.raises(MistakesError) as raised:
        contract(text)
    fault = raised.value.faults[0]
    assert (fault.line, message in fault.message) == (line, True), fault


def test_each_mistake_is_on_a_separate_line(tmp_path: Path) -> None:
    """Standard error has one line for each mistake, not one long line with all of them."""
    file = tmp_path / "c.toml"
    file.write_text(BEGIN + "[every_volume]\nbatery = true\ndrives = '8'\n")
    done = CliRunner().invoke(cli, ["--demo", "p400", "verify", "--contract", str(file)])
    assert done.exit_code == 2
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [f"{file}:3", f"{file}:4"]


def test_the_version_is_required() -> None:
    """Another version may promise something else."""
    for text in ("[every_volume]\nbattery = true", "contract = 2\n[every_volume]\nbattery = true"):
        with pytest.raises(MistakesError, match="contract = 1"):
            read_contract("c.toml", text.encode())


def test_a_promised_volume_that_is_not_there_is_no_pass() -> None:
    """Its claims are inconclusive, beside the answers of the others."""
    found = judged(
        checked_machine(raid_controller()),
        contract("[every_volume]\nbattery = true\n[[volume]]\ntarget = '/nope'\ndrives = 6"),
    )
    assert [(one.object, one.claim, one.verdict) for one in found.answers] == [
        ("acme:0/v0", "battery", "pass"), ("/nope", "drives", "inconclusive"),
    ]  # fmt: skip
    assert found.verdict == "inconclusive"


def test_a_claim_that_fits_no_volume_is_no_pass() -> None:
    """A promised strip size of a mirror is not passed over."""
    found = judged(
        checked_machine(raid_controller(level="raid1")),
        contract("[[volume]]\ntarget = 'acme:0/v0'\nstrip_size = '64KiB'"),
    )
    assert [(one.claim, one.verdict) for one in found.answers] == [("strip_size", "inconclusive")]


def test_each_claim_has_its_words() -> None:
    """Every claim has its promise and its request, with its value. A pass has no request."""
    assert set(wanted.NAMES) == set(JUDGES)
    for name in wanted.NAMES:
        value = None if name in wanted.SWITCHES else "77"
        for verdict in ("fail", "suspect", "inconclusive"):
            answer = Answer(claim=name, wanted=value, verdict=verdict, reasons=())
            assert "None" not in f"{promised(answer)}{request(answer)}"
            assert value is None or value in promised(answer)
            assert str(request(answer)).startswith("Please ")
            assert request(replace(answer, verdict="pass")) is None


@pytest.mark.parametrize(
    ("name", "promise"),
    [("drives", "1 drive, all working"), ("spares", "at least 1 good spare"),
     ("survives", "any 1 more drive may fail without data loss")],
)  # fmt: skip
def test_one_drive_is_singular(name: ClaimName, promise: str) -> None:
    """A claim about one drive is not about "1 drives"; neither is its request."""
    answer = Answer(claim=name, wanted="1", verdict="fail", reasons=())
    assert promised(answer) == promise
    assert "1 drives" not in str(request(answer))
    assert "1 more drives" not in str(request(answer))


def test_the_example_is_judged() -> None:
    """The manual's example is judged on a simulated machine.

    The exit code is 1, and each failed claim has what to ask for.
    """
    done = CliRunner().invoke(cli, ["--demo", "p400", "verify", "--contract", str(EXAMPLE)])
    assert done.exit_code == 1, done.output
    asked = done.stdout.partition("To ask the provider for")[2]
    assert "raid6" in asked
    assert "4TB" in asked
    found = msgspec.json.decode(
        CliRunner().invoke(cli, ["--demo", "p400", "--json", "verify", "--contract", str(EXAMPLE)]).stdout
    )
    verdicts = {one["claim"]: one["verdict"] for one in found["answers"]}
    assert {name for name, verdict in verdicts.items() if verdict == "fail"} == {
        "raid_level", "drives", "drive_size", "drive_rpm",
    }  # fmt: skip
    assert verdicts["drive_age"] == "inconclusive"
    assert found["contract"] == str(EXAMPLE)


def test_a_contract_stands_alone() -> None:
    """Claims and targets of the command line would be another promise."""
    for words in (["--battery"], ["/srv"], ["--measure", "/srv"], ["--drives", "0"]):
        done = CliRunner().invoke(cli, ["--demo", "p400", "verify", "--contract", str(EXAMPLE), *words])
        assert done.exit_code == 2, words
