"""Reports of hostile and of measured machines."""

from __future__ import annotations

from click.testing import CliRunner, Result
from msgspec.structs import replace

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose
from raidctl.bench.record import Run
from raidctl.bench.result import TrialResult
from raidctl.cli import cli
from raidctl.evidence import Output
from raidctl.model import Host, Inventory, Problem
from raidctl.output.report.contents import Material
from raidctl.survey.survey import Survey
from raidctl.verify import wanted
from raidctl.verify.judge import verify
from raidctl.verify.kernel import Kernel
from raidctl.verify.subjects import CheckedMachine, whole
from tests.bench.bench_runs import run, session, spread, trials
from tests.support.machines import FIXTURES
from tests.verify.checked_machines import raid_controller

HOSTILE = (
    "</style></title><script>alert(1)</script>",
    '"\' onload=alert(1) x="',
    "<img src=https://example.com/x.png>",
    "{{ 7 * 7 }} {% for %}",
    "abc\u202egpj.exe\u200b\x00\x1b[31m",
    "| a | `b` **c** [d](https://example.com) <!-- @everyone -->",
)


def report(machine: str, *words: str) -> Result:
    """``raidctl --replay fixtures/MACHINE report …``."""
    return CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "report", *words])


def material(seen: Survey, runs: tuple[Run, ...] = ()) -> Material:
    """The material of a report on this survey."""
    machine = CheckedMachine(seen, Kernel())
    subjects, left_out = whole(machine, drives=True)
    verification = verify(machine, wanted.DEFAULT, subjects, (), left_out)
    return Material(seen=seen, diagnosis=diagnose(seen.inventory, rules()), verification=verification, runs=runs)


def hostile(text: str) -> Survey:
    """A machine that prints this text wherever it can."""
    whole_ = raid_controller(count=2)
    drives = tuple(
        replace(drive, model=text, serial=text, status="critical", status_text=text) for drive in whole_.drives
    )
    volumes = tuple(replace(volume, name=text, mountpoints=(f"/{text}",)) for volume in whole_.volumes)
    controller = replace(whole_, model=text, vendor=text, drives=drives, volumes=volumes)
    output = Output.of_text(f"tool {text}", f"Model: {text}")
    output.lines[0].fact(controller.id, "model", text)
    problem = Problem("error", text, text, text, "unread")
    inventory = Inventory(host=Host(hostname=text, source=text), controllers=(controller,), problems=(problem,))
    return Survey(inventory, (output,))


def measured() -> Run:
    """A run with everything that is drawn, whose texts are hostile."""
    knee = TrialResult(
        trial="knee",
        figures={"write_cache": spread(384.0, 370.0, 396.0, "MiB")},
        reasons=HOSTILE,
        series={"written_mib_by_seconds": [[0.1 * at, 30.0 * min(at, 13) + at] for at in range(1, 60)]},
    )
    medium = TrialResult(trial="medium", figures={"rpm": spread(7200.0, 7195.0, 7205.0, "rpm")})
    return run(id=1, label=HOSTILE[0], session=session(results=(medium, *trials(), knee)))
