"""The dialogue with arcconf.

``getconfig 1`` reports in its first line how many controllers there are: no list is asked for. Then each controller's
configuration, and the tasks of each that has logical devices: one or two calls for each controller. The tool cannot run
twice at once; all calls share one lock. It writes a log into the working directory, which is a private one; ``nologs``
is not used, because old versions reject it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from raidctl.host import HostView
from raidctl.model import Problem
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed, without_root
from raidctl_adaptec.capability import FAMILY
from raidctl_adaptec.grammar import FOUND
from raidctl_adaptec.recognise import TEXT

LOCK = FAMILY
TIMEOUT = 60.0
"""Seconds for one call."""
MAX_CONTROLLERS = 16
_VOLUMES = (b"logical device number", b"logical drive number")


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Read every controller that arcconf lists."""
    session = Session(found[0], TEXT, LOCK, TIMEOUT, _count)
    first = yield from session.run("getconfig", "1", "AL")
    configs = [first]
    count = first.value or 0
    if not first.final:
        numbers = range(2, min(count, MAX_CONTROLLERS) + 1)
        configs += yield from session.run_all(("getconfig", str(number), "AL") for number in numbers)
    busy = [
        number for number, call in enumerate(configs, 1) if any(word in call.answer.out.lower() for word in _VOLUMES)
    ]
    yield from session.run_all(("getstatus", str(number)) for number in busy)
    return _assemble(session, count, host)


def _count(document: Document) -> Reading[int]:
    """Count the controllers: ``Controllers found: 2``; 0 if that line is missing."""
    # Command completed successfully.
    ended = "command completed" in document.text[-200:].lower()
    for line in document.text[:4096].splitlines():
        match = FOUND.match(line.strip())
        if match is not None:
            return Reading(int(match[1]), shows_end=ended)
    return Reading(0, shows_end=ended)


def _assemble(session: Session[int], count: int, host: HostView) -> Observation:
    from raidctl_adaptec.collect import collect  # noqa: PLC0415 - imported while the tool runs
    from raidctl_adaptec.reader import built, unreadable  # noqa: PLC0415 - as above

    collection = collect(session.documents)
    controllers, problems = built(collection)
    problems = [*session.problems, *problems, *unreadable(collection)]
    if count > MAX_CONTROLLERS:
        problems.append(
            Problem(
                severity="warning", kind="unread", where=session.installed.command,
                message=f"The tool counts {count} controllers; the first {MAX_CONTROLLERS} were asked.",
            )
        )  # fmt: skip
    return Observation(
        controllers=tuple(msgspec.structs.replace(controller, told_by=session.name) for controller in controllers),
        problems=tuple(dict.fromkeys(without_root(problems, host))),
        tools=(session.tool,),
        outputs=tuple(collection.outputs),
    )
