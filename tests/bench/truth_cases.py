"""Each row of the evidence table, as a model with known properties. The reported facts and right verdict come with it.

Data only. ``truth_runs`` measures it over NBD; the tests run each case once, ``benchmarks/known_truths.py`` many
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
    """An array and the right verdict."""

    kind: Kind
    """The kind of the model."""
    words: tuple[str, ...] = ()
    """More arguments of the model."""
    before: tuple[str, ...] = ()
    """Switches before the measurement."""
    facts: Evidence
    """Facts of the inventory; of ``rpm``, only whether it is known."""
    switched: Switched = ()
    """States in which commits are measured again, with their switches. The switches make the states."""
    dropping: bool = False
    """Whether it is measured through a layer that drops each flush."""
    raw: bool = False
    """Whether commits are measured past that layer as well."""
    flushes: bool = True
    """Whether the knee and the flush slope are measured. If not, nothing must be concluded from them."""
    rpm: int | None = None
    """0: solid state; None: that of the scale."""
    verdict: Verdict
    case: str
    """Name of the finding."""


NO_CONTROLLER = Evidence(rpm=1.0, controller=False, drive_cache="enabled", flush_sent=True)
CONTROLLER = replace(
    NO_CONTROLLER,
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
        kind="write-through", facts=replace(NO_CONTROLLER, drive_cache="disabled"), verdict="pass", case="no cache"
    ),
    "volatile": Truth(kind="volatile", facts=NO_CONTROLLER, switched=OFF, verdict="pass", case="honest volatile cache"),
    "volatile-switched-off": Truth(
        kind="volatile", before=("drive-cache off",), facts=replace(NO_CONTROLLER, drive_cache="disabled"),
        verdict="pass", case="no cache",
    ),
    "lying": Truth(kind="lying", facts=NO_CONTROLLER, switched=OFF, verdict="fail", case="drive ignores the flush"),
    "lying-rpm-unknown": Truth(
        kind="lying", facts=replace(NO_CONTROLLER, rpm=None), switched=OFF,
        verdict="fail", case="drive ignores the flush",
    ),
    "lying-not-switched": Truth(kind="lying", facts=NO_CONTROLLER, verdict="inconclusive", case="not switched"),
    "flush-never-sent": Truth(
        kind="volatile", facts=replace(NO_CONTROLLER, flush_sent=None), dropping=True, raw=True,
        verdict="fail", case="flush never sent",
    ),
    "flush-never-sent-told": Truth(
        kind="volatile", facts=replace(NO_CONTROLLER, flush_sent=False), dropping=True,
        verdict="fail", case="flush never sent",
    ),
    "cache-that-survives": Truth(
        kind="media-cache", words=MEDIA, rpm=7200, facts=NO_CONTROLLER, switched=OFF, flushes=False,
        verdict="inconclusive", case="unknown cache",
    ),
    "battery": Truth(kind="battery", facts=CONTROLLER, switched=THROUGH, verdict="pass", case="battery-backed cache"),
    "battery-not-switched": Truth(
        kind="battery", facts=CONTROLLER, flushes=False, verdict="inconclusive", case="not switched"
    ),
    "battery-nothing-told": Truth(
        kind="battery", facts=Evidence(), flushes=False, verdict="inconclusive", case="controller unknown"
    ),
    "battery-drive-caches-on": Truth(
        kind="battery", words=("--drive-cache", "8MiB"), facts=replace(CONTROLLER, drive_cache="enabled"),
        switched=BOTH, verdict="fail", case="drives acknowledge early behind the controller",
    ),
    "no-battery": Truth(
        kind="unprotected", facts=replace(CONTROLLER, battery=False), switched=THROUGH,
        verdict="fail", case="write-back without a battery",
    ),
    "promised-but-through": Truth(
        kind="battery", before=("policy write-through",), facts=replace(CONTROLLER, policy="write_through"),
        flushes=False, verdict="fail", case="write-back promised, not active",
    ),
    "told-but-through": Truth(
        kind="battery", before=("policy write-through",), facts=CONTROLLER, flushes=False,
        verdict="suspect", case="write-back reported, not observed",
    ),
    "flushing": Truth(kind="flushing", facts=CONTROLLER, verdict="pass", case="destages on flush"),
    "virtual": Truth(
        kind="lying", facts=replace(NO_CONTROLLER, confounders=(VIRTUAL,)), switched=OFF, flushes=False,
        verdict="inconclusive", case="barred",
    ),
    "solid-state": Truth(
        kind="write-through", rpm=0, facts=replace(NO_CONTROLLER, drive_cache="disabled"), flushes=False,
        verdict="inconclusive", case="solid state",
    ),
}  # fmt: skip
