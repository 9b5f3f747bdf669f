"""Every row of the evidence table as a model whose truth is known: what is told of it, and what is right.

Data only. ``truth_runs`` measures it over NBD; the suite plays each case once, ``benchmarks/known_truths.py`` many
times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from raidctl.bench.model.device import Kind
from raidctl.bench.result import Confounder, Verdict
from raidctl.bench.trials.policy_switch import State
from raidctl.bench.verdict.evidence import Evidence

Switched = tuple[tuple[State, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """An array, and the verdict that is right."""

    kind: Kind
    """Of the model."""
    words: tuple[str, ...] = ()
    """More of its command line."""
    before: tuple[str, ...] = ()
    """Switches turned before anything is measured."""
    facts: Evidence
    """What the inventory tells; of ``rpm``, only whether it does."""
    switched: Switched = ()
    """States in which commits are measured again, and the switches that they are made of."""
    dropping: bool = False
    """Whether it is measured through a layer that drops each flush."""
    raw: bool = False
    """Whether commits are measured past that layer as well."""
    flushes: bool = True
    """Whether the knee and the flush slope are measured: without them nothing may be made up."""
    rpm: int | None = None
    """0: solid state; None: as the scale has it."""
    verdict: Verdict
    case: str
    """Name of the finding."""


NO_CARD = Evidence(rpm=1.0, controller=False, drive_cache="enabled", flush_sent=True)
CARD = replace(
    NO_CARD,
    controller=True, policy="write_back", battery=True, drive_cache="disabled", promise="protected_write_back",
)  # fmt: skip
THROUGH: Switched = (("write_through", ("policy write-through",)),)
OFF: Switched = (("drives_off", ("drive-cache off",)),)
BOTH: Switched = (*THROUGH, ("drives_off", ("policy write-through", "drive-cache off")))
BACK = {
    "policy write-through": "policy write-back",
    "policy write-back": "policy write-through",
    "drive-cache off": "drive-cache on",
}
VIRTUAL = Confounder(name="virtual_machine", text="This is a virtual machine.", forbids=True)
MEDIA = ("--drive-cache", "8MiB")

TRUTHS: Mapping[str, Truth] = {
    "no-cache": Truth(
        kind="write-through", facts=replace(NO_CARD, drive_cache="disabled"), verdict="pass", case="no cache"
    ),
    "volatile": Truth(kind="volatile", facts=NO_CARD, switched=OFF, verdict="pass", case="honest volatile cache"),
    "volatile-switched-off": Truth(
        kind="volatile", before=("drive-cache off",), facts=replace(NO_CARD, drive_cache="disabled"),
        verdict="pass", case="no cache",
    ),
    "lying": Truth(kind="lying", facts=NO_CARD, switched=OFF, verdict="fail", case="drive ignores the flush"),
    "lying-rpm-unknown": Truth(
        kind="lying", facts=replace(NO_CARD, rpm=None), switched=OFF, verdict="fail", case="drive ignores the flush"
    ),
    "lying-not-switched": Truth(kind="lying", facts=NO_CARD, verdict="inconclusive", case="not switched"),
    "flush-never-sent": Truth(
        kind="volatile", facts=replace(NO_CARD, flush_sent=None), dropping=True, raw=True,
        verdict="fail", case="flush never sent",
    ),
    "flush-never-sent-told": Truth(
        kind="volatile", facts=replace(NO_CARD, flush_sent=False), dropping=True,
        verdict="fail", case="flush never sent",
    ),
    "cache-that-survives": Truth(
        kind="media-cache", words=MEDIA, rpm=7200, facts=NO_CARD, switched=OFF, flushes=False,
        verdict="inconclusive", case="unknown cache",
    ),
    "battery": Truth(kind="battery", facts=CARD, switched=THROUGH, verdict="pass", case="battery-backed cache"),
    "battery-not-switched": Truth(
        kind="battery", facts=CARD, flushes=False, verdict="inconclusive", case="not switched"
    ),
    "battery-nothing-told": Truth(
        kind="battery", facts=Evidence(), flushes=False, verdict="inconclusive", case="controller unknown"
    ),
    "battery-drive-caches-on": Truth(
        kind="battery", words=("--drive-cache", "8MiB"), facts=replace(CARD, drive_cache="enabled"), switched=BOTH,
        verdict="fail", case="drives acknowledge early behind the controller",
    ),
    "no-battery": Truth(
        kind="unprotected", facts=replace(CARD, battery=False), switched=THROUGH,
        verdict="fail", case="write-back without a battery",
    ),
    "promised-but-through": Truth(
        kind="battery", before=("policy write-through",), facts=replace(CARD, policy="write_through"), flushes=False,
        verdict="fail", case="write-back promised, not active",
    ),
    "told-but-through": Truth(
        kind="battery", before=("policy write-through",), facts=CARD, flushes=False,
        verdict="suspect", case="write-back reported, not observed",
    ),
    "flushing": Truth(kind="flushing", facts=CARD, verdict="pass", case="destages on flush"),
    "virtual": Truth(
        kind="lying", facts=replace(NO_CARD, confounders=(VIRTUAL,)), switched=OFF, flushes=False,
        verdict="inconclusive", case="barred",
    ),
    "solid-state": Truth(
        kind="write-through", rpm=0, facts=replace(NO_CARD, drive_cache="disabled"), flushes=False,
        verdict="inconclusive", case="solid state",
    ),
}  # fmt: skip
