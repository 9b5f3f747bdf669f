"""Flushes that fail, hang or never end, and what is left after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from raidctl.change.journal import Journal
from raidctl.cli.cache_flush import code_of
from raidctl.cli.flushing import Flushing
from raidctl.cli.layers import Caches
from raidctl.cli.machine import Machine
from raidctl.cli.options import Settings
from raidctl.demo import machine
from raidctl.layers.flushing import Job, jobs
from raidctl.layers.look import look
from raidctl.layers.model import Answer, Flushed, FlushReport
from raidctl.layers.scope import scope
from raidctl.model import Host, Problem
from raidctl.registry import vendors
from raidctl.request import Answer as Reply
from raidctl.request import Read, ReadAnswer, Request, Run, RunAnswer, Trouble, converse
from raidctl.runners.simulated import Simulated

STATE = "/sys/class/block/bcache0/bcache/state"


@dataclass
class Ailing:
    """A simulated machine on which some programs fail, and whose bcache may never become clean."""

    machine: Simulated
    said: dict[str, RunAnswer] = field(default_factory=dict)
    """Answers by the name of the program."""
    stuck: bool = False
    interrupted: bool = False
    """Somebody presses Ctrl-C when the machine is asked whether bcache is clean."""

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Reply]:
        """Answer each request, in order."""
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Reply:
        """Answer one request."""
        if isinstance(request, Run) and request.changes and request.argv[0] in self.said:
            return self.said[request.argv[0]]
        if isinstance(request, Read) and request.path == STATE and self.stuck:
            if self.interrupted and "[writethrough]" in self.mode():
                self.interrupted = False
                raise KeyboardInterrupt
            return ReadAnswer(data=b"dirty\n")
        return self.machine.answer(request)

    def mode(self) -> str:
        """The cache mode as it is now."""
        return self.machine.state().get("file /sys/class/block/bcache0/bcache/cache_mode", "as recorded")


@dataclass
class Bench:
    """The demo with its caches, ready to be flushed."""

    ailing: Ailing
    flushing: Flushing
    jobs: dict[str, Job]
    journal: Journal


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A machine of its own."""
    families = vendors()[0]
    ailing = Ailing(machine("layers", families, tmp_path / "demo" / "layers"))
    settings = Settings()
    settings.demo, settings.state_dir = "layers", str(tmp_path)
    named = Machine(ailing, families, "demo:layers")
    seen = named.survey()
    below = scope(seen.view, seen.inventory, None)
    kernel = converse(look(seen.view, below.names), ailing)
    work = jobs(below, seen.view, kernel, seen.inventory, families)
    flushing = Flushing(Caches(named, seen, below, kernel), settings, patience=0.01)
    return Bench(ailing, flushing, {job.layer: job for job in work}, Journal(tmp_path / "demo" / "layers"))


def test_a_cache_that_never_becomes_clean_gets_its_mode_back(bench: Bench) -> None:
    """When the time is up, its state is told, and everything is set as before."""
    bench.ailing.stuck = True
    answer = bench.flushing.carry_out(bench.jobs["kernel:bcache0"])
    assert answer.result == "failed"
    assert "dirty after" in (answer.why or "")
    assert bench.ailing.mode() == "as recorded"
    assert not bench.journal.pending()


def test_an_interrupted_flush_puts_the_mode_back(bench: Bench) -> None:
    """Ctrl-C while it waits: the exception goes on, the mode is as before."""
    bench.ailing.stuck = bench.ailing.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        bench.flushing.carry_out(bench.jobs["kernel:bcache0"])
    assert not bench.ailing.interrupted
    assert bench.ailing.mode() == "as recorded"
    assert not bench.journal.pending()


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        (RunAnswer(code=1, err=b"sync: error syncing '/srv/db': Input/output error\n"), "failed"),
        (RunAnswer(code=1, err=b"sync: cannot open: Permission denied\n"), "no_right"),
        (RunAnswer(code=3), "failed"),
        (RunAnswer(trouble=Trouble.MISSING, detail="not installed"), "no_tool"),
        (RunAnswer(trouble=Trouble.DENIED, detail="no"), "no_right"),
        (RunAnswer(trouble=Trouble.TIMEOUT, detail="ended"), "failed"),
    ],
)
def test_a_command_that_fails_is_told_with_its_words(bench: Bench, reply: RunAnswer, result: str) -> None:
    """Never as done; a missing right and a missing tool are told apart from an error."""
    bench.ailing.said["sync"] = reply
    answer = bench.flushing.carry_out(bench.jobs["kernel:vm"])
    assert answer.result == result
    assert answer.why


def test_a_drive_that_refuses_is_judged_by_its_family(bench: Bench) -> None:
    """Hdparm's words are those of the vendor package."""
    bench.ailing.said["hdparm"] = RunAnswer(code=5, err=b"HDIO_DRIVE_CMD(flushcache) failed: Input/output error\n")
    answer = bench.flushing.carry_out(bench.jobs["drives:HBS4A011"])
    assert answer.result == "failed"
    assert "Input/output error" in (answer.why or "")


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (("done", "nothing"), 0),
        (("done", "unsupported"), 1),
        (("done", "unsupported", "unknown"), 3),
        (("failed", "no_tool"), 3),
        (("unsupported", "no_tool"), 4),
        (("done", "no_right"), 4),
    ],
)
def test_the_exit_code_is_that_of_the_worst_layer(results: Sequence[Any], code: int) -> None:
    """Everything written 0, a layer without a flush 1, doubt 3, tool or right missing 4."""
    layers = tuple(Flushed(layer=str(n), kind="drive", answer=Answer(result=r)) for n, r in enumerate(results))
    assert code_of(FlushReport(host=Host(), layers=layers)) == code


def test_what_could_not_be_read_may_be_a_cache() -> None:
    """Without dmsetup nobody knows whether a mapping is one: exit code 4, although all that is known was flushed."""
    problem = Problem(severity="warning", where="dmsetup", message="It is missing.", kind="no_tool")
    layer = Flushed(layer="kernel:vm", kind="page_cache", answer=Answer(result="done"))
    assert code_of(FlushReport(host=Host(), layers=(layer,), problems=(problem,))) == 4
