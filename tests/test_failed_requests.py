"""Failing requests are all reported. No failure to read means "not there"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from raidctl.cli.shared.exit_codes import exit_code
from raidctl.layers import probe as layers
from raidctl.layers.scope import Scope
from raidctl.layers.stats import sample
from raidctl.model import Problem
from raidctl.recording.recording import Recording, load
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, converse, key
from raidctl.runners.replay import ReplayRunner
from raidctl.simulation.demo import demos, path_of
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from raidctl.verify.subjects import with_kernel
from tests.support.conclusions import conclusions, improved
from tests.support.failing import DEVICE, Failing
from tests.support.machines import MACHINES, recording

VENDORS = vendors()[0]
DEMOS = [f"demo:{demo.name}" for demo in demos(VENDORS)]
LOST = (Failure.TIMEOUT, Failure.FAILED, Failure.FLOOD)


def machine_of(name: str) -> Recording:
    """A recorded machine, or a demo."""
    return recording(name) if name in MACHINES else load(path_of(name.removeprefix("demo:"), VENDORS))


def seen(kept: Recording, *requests: Request[Any], trouble: Failure | None = None) -> tuple[Survey, Failing]:
    """What raidctl makes of a machine on which some requests fail."""
    runner = Failing(ReplayRunner(kept), {key(request) for request in requests}, trouble)
    return survey(runner, VENDORS, collected_at="2026-01-01T00:00:00Z"), runner


def expanded(text: str) -> str:
    """A text with the braces of a shell expanded, word by word."""
    return " ".join(word for part in text.split() for word in _words(part))


def _words(word: str) -> Iterator[str]:
    parts = [part[1:-1].split(",") if part[0] == "{" else [part] for part in re.findall(r"\{[^}]*\}|[^{]+", word)]
    return map("".join, product(*parts))


def _alike(request: Request[Any]) -> tuple[str, ...]:
    """The key of requests that are tried once. The same file of several devices is read in the same way."""
    return tuple(DEVICE.sub("*", word) for word in key(request))


def sources(found: Survey) -> set[str]:
    """The tools whose reports are shown. A BMC is shown where the controller's tool fails, and has other evidence."""
    return {controller.told_by or "" for controller in found.inventory.controllers}


def unnamed(problems: Iterable[Problem], *requests: Request[Any]) -> list[str]:
    """The requests that no problem of kind ``unread`` names."""
    reported = expanded(" ".join(f"{p.where} {p.message}" for p in problems if p.kind == "unread"))
    names = [" ".join(key(one)) if isinstance(one, Run) else key(one)[-1] for one in requests]
    return [name for name in names if name.removeprefix("run ") not in reported]


_KINDS: dict[str, list[str]] = {}
for _name in [*MACHINES, *DEMOS]:
    _KINDS.setdefault(re.split("[-:]", _name)[0], []).append(_name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine_kind",
    # each family has machines of other kinds, too
    [pytest.param(kind, marks=pytest.mark.slow if kind in ("lab", "demo") else ()) for kind in _KINDS],
)
def test_every_request_that_fails_is_reported(machine_kind: str) -> None:
    """Each failing request or batch of requests gives a problem. The problem names it, and the exit code is 3.

    The same request is tried on one machine of a kind, and on one of the demos.
    """
    tried: set[tuple[tuple[str, ...], ...]] = set()
    silent = []
    for machine in _KINDS[machine_kind]:
        kept = machine_of(machine)
        whole, runner = seen(kept)
        concluded = conclusions(whole)
        singles = {_alike(request): (request,) for batch in runner.batches for request in batch}
        groups = [*singles.values(), *(batch for batch in runner.batches if len(batch) > 1)]
        alike = {tuple(_alike(request) for request in group): group for group in groups}
        for shape, group in alike.items():
            if shape in tried:
                continue
            trouble = LOST[len(tried) % len(LOST)]
            tried.add(shape)
            found, _ = seen(kept, *group, trouble=trouble)
            missing = unnamed(found.inventory.problems, *group)
            nicer = improved(concluded, conclusions(found)) if sources(found) <= sources(whole) else []
            if missing or nicer or exit_code(found.inventory.problems) != 3:
                silent.append((machine, trouble.value, missing[:5], key(group[0]), nicer))
    assert silent == []


@pytest.mark.parametrize("machine", ["demo:layers", "host-lvm-on-md", "demo:p440"])
def test_every_failed_request_about_caches_and_mounts_is_reported(machine: str) -> None:
    """Each failing request of `cache show`, `cache stats` and `verify` is reported.

    These are requests beside the inventory.
    """
    found, replay = seen(machine_of(machine))[0], ReplayRunner(machine_of(machine))

    def asked(*requests: Request[Any]) -> tuple[list[Problem], list[Problem], Failing]:
        failing = Failing(replay, {key(request) for request in requests}, Failure.TIMEOUT)
        kernel = converse(layers.probe_caches(found.view), failing)
        sampled = converse(sample(found.view, Scope(None, blocks=found.view.blocks), kernel), failing)
        return list(sampled.problems), list(with_kernel(found, failing).inventory.problems), failing

    for batch in asked()[2].batches:
        for request in {_alike(request): request for request in batch}.values():
            sampled, judged, _ = asked(request)
            assert unnamed((*sampled, *judged), request) == []


class NoLibraries:
    """A machine on which no program starts: the loader finds none of their libraries."""

    def __init__(self, kept: Recording) -> None:
        self._runner = ReplayRunner(kept)
        self.ran: list[Run] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        self.ran += [request for request in requests if isinstance(request, Run)]
        return [
            RunAnswer(code=127, err=LOADER.format(request.argv[0]).encode()) if isinstance(request, Run) else answer
            for request, answer in zip(requests, self._runner.carry_out(requests), strict=True)
        ]


LOADER = "{}: error while loading shared libraries: libfoo.so.1: cannot open shared object file\n"


@pytest.mark.parametrize("machine", [names[0] for kind, names in _KINDS.items() if kind not in ("lab", "demo")])
def test_a_tool_that_does_not_start_is_reported(machine: str) -> None:
    """The loader's message is the reason in a problem, never a tool's output in an unknown form.

    Of a tool that did not start, no problem claims that it does not list a controller.
    """
    runner = NoLibraries(recording(machine))
    found = survey(runner, VENDORS, collected_at="2026-01-01T00:00:00Z").inventory
    assert unnamed(found.problems, *runner.ran) == []
    assert exit_code(found.problems) == 3
    unread = [
        problem.message for problem in found.problems if problem.where in {" ".join(one.argv) for one in runner.ran}
    ]
    assert [message for message in unread if "does not start" not in message] == []
    assert [one.message for one in found.problems if re.search(r"not list |tool lists", one.message)] == []
