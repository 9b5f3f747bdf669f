"""Flush one layer: run its commands, or change its cache mode temporarily. Show progress."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import click
import msgspec
from msgspec.structs import replace

from raidctl.change.failure_messages import DENIED
from raidctl.change.state_directory import Held
from raidctl.cli.cache._stack import Caches
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import work_on
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import ChangeUndone
from raidctl.layers import family
from raidctl.layers.flushing import Job, left
from raidctl.layers.model import Answer, Result
from raidctl.layers.probe import probe_caches
from raidctl.layers.sysfs_values import state
from raidctl.output.terminal import is_drawable
from raidctl.request import Answer as Reply
from raidctl.request import Failure, RunAnswer, converse
from raidctl.text import collapse, printable, regex
from raidctl.units import format_binary
from raidctl.vendor.changes import changes_of
from raidctl.vendor.plan import Action, Desired
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of

_OLD = regex(r"unrecognized option|invalid option|unknown option", re.IGNORECASE)
"""Messages of an old ``sync`` about ``--file-system``. They are from coreutils before 8.24, and from a small
busybox."""
_TICK = 1.0
"""Seconds between two progress lines."""


@dataclass
class Flushing:
    """A machine whose caches are flushed."""

    found: Caches
    settings: Settings
    patience: float
    """Time limit per layer, in seconds."""

    def carry_out(self, job: Job) -> Answer:
        """Flush one layer and wait for the end."""
        if job.answer.result != "supported":
            return job.answer
        with _progress_line(f"{job.kind} {job.layer}", lambda: self.unwritten(job)):
            if job.drain:
                return self._drained(job)
            # a failed layer does not keep the others from being written
            answers = [self._tried(job, action) for action in job.actions]
        fault = next((answer for answer in answers if answer.result != "done"), None)
        if fault is not None:
            return fault
        return msgspec.structs.replace(job.answer, result="done")

    def _tried(self, job: Job, action: Action) -> Answer:
        """Run a command. Sync the whole machine if ``sync`` is too old for ``--file-system``."""
        emit_message(f"  {action}")
        answer = self._run(job, action)
        if answer.result == "failed" and "--file-system" in action.argv and _OLD.search(answer.why or ""):
            return self._tried(job, Action(argv=("sync",)))
        return answer

    def _run(self, job: Job, action: Action) -> Answer:
        limited = msgspec.structs.replace(action, timeout=self.patience)
        [reply] = self.found.named.runner.carry_out([limited.request()])
        if reply.trouble is not None:
            return _of_trouble(reply, action, self.patience)
        vendor = vendor_of(job.family, self.found.named.vendors) if job.family is not None else None
        changes = changes_of(vendor) if vendor is not None else None
        fault = changes.judge(action, reply) if changes is not None else _of_code(reply)
        if fault is None:
            return Answer(result="done", how=str(action))
        result: Result = "no_right" if DENIED.search(fault) else "failed"
        return Answer(result=result, how=str(action), why=collapse(printable(fault)))

    def unwritten(self, job: Job) -> int | None:
        """Return the unwritten bytes of a layer."""
        names = [job.device] if job.device else []
        kernel = converse(probe_caches(self.found.seen.view, names), self.found.named.runner)
        return left(job, kernel, {})[0]

    # --- bcache

    def _drained(self, job: Job) -> Answer:
        """Switch to write-through until the cache is clean, then restore the mode. The mode is journaled beforehand."""
        named = replace(self.found.named, vendors=[cast("Vendor", family)])
        requests = [
            Desired(object_id=job.layer, setting="cache_mode", value="writethrough"),
            Desired(object_id=job.layer, setting="writeback_percent", value="0"),
        ]
        work = work_on(named, None, lambda _: requests)
        if work.plan.refusals:
            return Answer(result="unknown", how=job.answer.how, why=work.plan.refusals[0].reason)
        if not work.plan.steps:
            return self._waited(job)
        work.place = state_directory(self.settings)
        try:
            with apply_temporarily(work, self.settings):
                return self._waited(job)
        except (Held, ChangeUndone) as failure:
            return Answer(result="failed", how=job.answer.how, why=str(failure))

    def _waited(self, job: Job) -> Answer:
        """Poll until the cache is clean."""
        end = time.monotonic() + self.patience
        while True:
            kernel = converse(probe_caches(self.found.seen.view, [job.device or ""]), self.found.named.runner)
            files = kernel.bcaches.get(job.device or "")
            now = files.value("state", state) if files is not None else None
            if now in ("clean", "no cache"):
                return Answer(result="done", how=job.answer.how)
            if now is None:
                return Answer(result="unknown", how=job.answer.how, why="Its state can no longer be read.")
            if time.monotonic() >= end:
                rest = left(job, kernel, {})[0]
                some = f"; {format_binary(rest)} are left" if rest else ""
                why = f"It is {now} after {self.patience:g} s{some}."
                return Answer(result="failed", how=job.answer.how, why=why, alternative="Wait longer: --timeout.")
            time.sleep(_TICK)


def _of_trouble(reply: Reply, action: Action, patience: float) -> Answer:
    results: dict[Failure | None, Result] = {Failure.MISSING: "no_tool", Failure.DENIED: "no_right"}
    why = f"It did not end in {patience:g} s and was ended." if reply.trouble is Failure.TIMEOUT else reply.detail
    return Answer(result=results.get(reply.trouble, "failed"), how=str(action), why=collapse(printable(why)) or None)


def _of_code(reply: Reply) -> str | None:
    """Return the error of a system command; their exit codes are reliable."""
    if not isinstance(reply, RunAnswer) or reply.code == 0:
        return None
    text = collapse(f"{reply.error_text} {reply.text}")[:300]
    return text or f"exit code {reply.code}"


@contextmanager
def _progress_line(what: str, unwritten: Callable[[], int | None]) -> Iterator[None]:
    """Show the seconds and the unwritten data on a terminal, redrawn in place. Nothing is shown elsewhere."""
    if not is_drawable(sys.stderr):
        yield
        return
    over = threading.Event()
    began = time.monotonic()

    def work() -> None:
        while not over.wait(_TICK):
            try:
                rest = unwritten()
            except Exception:  # noqa: BLE001 - a failure of the display must not end the flush
                rest = None
            if over.is_set():
                return
            text = f"  {what}: {time.monotonic() - began:.0f} s"
            text += f", {format_binary(rest)} to be written" if rest is not None else ""
            click.echo(f"\r{text:<70}", err=True, nl=False)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=5)
        if time.monotonic() - began > _TICK:
            click.echo(f"\r{'':70}\r", err=True, nl=False)
