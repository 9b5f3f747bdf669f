"""The plain drives of a machine. The kernel's facts are combined with those from hdparm, sdparm, nvme and smartctl."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import cast

from msgspec import Struct, field

from raidctl.evidence import Output
from raidctl.host import BlockDevice, HostView
from raidctl.model import Problem, Tool
from raidctl.request import Dialogue, Failure, Read, Run, RunAnswer, Which, ask_all, together
from raidctl.text import collapse, listing
from raidctl.vendor.protocol import Observation
from raidctl.vendor.session import death
from raidctl_drives.capability import FAMILY
from raidctl_drives.controllers import Found, controller_output, controllers_of
from raidctl_drives.draft import DriveDraft
from raidctl_drives.kernel import kernel_draft
from raidctl_drives.plain import by_drive, is_virtual, plain_drives
from raidctl_drives.to_model import Source
from raidctl_drives.tools import PACKAGES

_TIMEOUT = 30.0
_NO_RESPONSE = frozenset({2, 3, 7, 11, 15, 24, 33, 97, 98, 99})
"""Exit codes of sdparm for a drive that did not respond. Such cases are: not ready, a failing medium, an aborted
command and so on (sg3_utils, sg_cmds.h). Codes 5 and 9 mean that it has no such page, which is a response."""
_Reader = Callable[[str, str], tuple[list[DriveDraft], Output]]


class _Outputs(Struct):
    """What was read of one drive.

    Not a session with a tool (:mod:`raidctl.vendor.session`): several tools report on one drive, and a failed call of
    one of them reports something about the drive.
    """

    sources: list[Source] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def observe(host: HostView) -> Dialogue[Observation]:
    """Read every plain drive of the machine. The calls for different drives run in parallel."""
    drives = by_drive(plain_drives(host))
    if not drives:
        return Observation()
    wanted = sorted({tool for paths in drives for tool in tools_for(paths[0])})
    places = yield from ask_all(Which(name) for name in wanted)
    found = {name: answer.path for name, answer in zip(wanted, places, strict=True) if answer.path}
    usable = frozenset() if host.root is False else frozenset(found)
    asked = yield from together(_query_drive(paths, host, usable) for paths in drives)
    problems = [problem for one in asked for problem in one.problems]
    problems += _lacking(drives, wanted, found, root=host.root)
    finds = [Found(paths, one.sources) for paths, one in zip(drives, asked, strict=True)]
    controllers, more = controllers_of(finds, host)
    return Observation(
        controllers=tuple(controllers),
        problems=tuple(_merged([*problems, *more])),
        tools=tuple(Tool(name=name, path=path) for name, path in found.items()),
        outputs=(controller_output(controllers), *(output for one in asked for output in one.outputs)),
    )


def tools_for(block: BlockDevice) -> tuple[str, ...]:
    """The tools that query a drive: none for virtual disks."""
    if is_virtual(block):
        return ()
    if block.transport == "nvme":
        return ("nvme", "smartctl")
    if block.transport in ("sata", "ata"):
        return ("hdparm", "smartctl")
    if block.transport in ("sas", "scsi"):
        return ("sdparm", "smartctl")
    # USB adapters respond to ATA and SCSI commands with anything; smartctl recognises them by name
    return ("smartctl",)


def health_tools(block: BlockDevice) -> set[str]:
    """The tools that report a drive's health; one is enough."""
    return {"smartctl", "nvme"} & set(tools_for(block))


def cache_tools(block: BlockDevice) -> set[str]:
    """The tools that report a drive's write cache; one is enough. For NVMe, smartctl does not."""
    return {"nvme"} if block.transport == "nvme" else set(tools_for(block))


def _query_drive(paths: Sequence[BlockDevice], host: HostView, usable: frozenset[str]) -> Dialogue[_Outputs]:
    block = paths[0]
    found = _Outputs()
    tools = [tool for tool in tools_for(block) if tool in usable]
    halves: list[Dialogue[_Outputs]] = [_query_kernel(paths, host)]
    if "nvme" in tools:
        halves.append(_query_nvme(block))
    if "hdparm" in tools:
        # -I and -W in one call: the drive's identification, and the state of its write cache
        halves.append(_query_runs("hdparm", [("hdparm", "-I", "-W", block.node)]))
    if "sdparm" in tools:
        halves.append(_query_runs("sdparm", [("sdparm", "--get=WCE,RCD", block.node)]))
    if "smartctl" in tools:
        halves.append(_query_smart(block))
    for half in (yield from together(halves)):
        found.sources += half.sources
        found.outputs += half.outputs
        found.problems += half.problems
    return found


def _query_kernel(paths: Sequence[BlockDevice], host: HostView) -> Dialogue[_Outputs]:
    files = [
        f"/sys/class/scsi_disk/{path.scsi_address}/cache_type"
        for path in paths
        if path.scsi_address and not is_virtual(path)
    ]
    answers = yield from ask_all(Read(path) for path in files)
    draft, output = kernel_draft(paths, host, [(p, a.text) for p, a in zip(files, answers, strict=True) if a.text])
    return _Outputs([Source("kernel", draft)], [output])


def _query_smart(block: BlockDevice) -> Dialogue[_Outputs]:
    from raidctl_drives.smart import query_smartctl  # noqa: PLC0415 - slow to import, and only for drives with SMART

    drafts, outputs, problems = yield from query_smartctl(block.node)
    return _Outputs([Source("smartctl", draft) for draft in drafts], list(outputs), list(problems))


def _query_runs(tool: str, commands: Iterable[tuple[str, ...]]) -> Dialogue[_Outputs]:
    runs = [Run(argv, timeout=_TIMEOUT) for argv in commands]
    answers = yield from ask_all(runs)
    found = _Outputs()
    for run, answer in zip(runs, answers, strict=True):
        _keep(found, tool, run, answer)
    return found


def _query_nvme(block: BlockDevice) -> Dialogue[_Outputs]:
    found = yield from _query_runs("nvme", [("nvme", "id-ctrl", block.node), ("nvme", "smart-log", block.node)])
    present = any(source.draft.details.get("volatile write cache") == "present" for source in found.sources)
    if present:
        # a drive without a volatile cache refuses the query of feature 6
        more = yield from _query_runs("nvme", [("nvme", "get-feature", block.node, "-f", "6")])
        found.sources += more.sources
        found.outputs += more.outputs
        found.problems += more.problems
    return found


def _keep(found: _Outputs, tool: str, run: Run, answer: RunAnswer) -> None:
    command = " ".join(run.argv)
    if not answer.fine and answer.trouble is not Failure.FLOOD:
        found.problems.append(_not_queried(command, tool, answer))
        return
    text = answer.text
    if answer.error_text.strip():
        text = f"{text.rstrip()}\n{answer.error_text}" if text.strip() else answer.error_text
    drafts, output = _reader(tool)(command, text)
    if (
        tool == "sdparm"
        and answer.code in _NO_RESPONSE
        and not any(draft.get("write_cache") or draft.complaints for draft in drafts)
    ):
        found.problems.append(_no_response(command, answer))
    if answer.text.strip() and (died := death(answer, command, tool)) is not None:
        found.problems.append(died)
    found.outputs.append(output)
    found.sources += [Source(tool, draft) for draft in drafts]


def _reader(tool: str) -> _Reader:
    """The parser of a tool's outputs, imported when there is output."""
    return cast("_Reader", getattr(import_module(f"raidctl_drives.{tool}"), f"read_{tool}"))


def _not_queried(command: str, tool: str, answer: RunAnswer) -> Problem:
    why = answer.detail or (answer.trouble.value if answer.trouble else "")
    if answer.trouble is Failure.DENIED:
        return Problem(
            severity="error", where=command, message=f"{tool} could not be run: {why}.", remedy="Run raidctl as root.",
            kind="no_right",
        )  # fmt: skip
    if answer.trouble is Failure.MISSING:
        return Problem(
            severity="warning", where=command, message=f"{tool} is not installed.",
            remedy=f"Install the package {PACKAGES[tool]}.", kind="no_tool",
        )  # fmt: skip
    return Problem(
        severity="error",
        where=command,
        message=f"{tool} returned no data ({why}); its values are missing.",
        remedy="Run the command by hand: a drive that does not respond in time is often about to fail.",
        kind="unread",
    )


def _no_response(command: str, answer: RunAnswer) -> Problem:
    reason = collapse(answer.error_text)[:160]
    return Problem(
        severity="warning",
        where=command,
        message=f"The drive returned an error to sdparm ({reason or f'exit code {answer.code}'}); its "
        "write cache is shown as the kernel detected it earlier.",
        remedy="Run the command by hand: a drive that rejects such commands is often about to fail.",
        kind="unread",
    )


def _lacking(
    drives: Sequence[Sequence[BlockDevice]], wanted: Sequence[str], found: dict[str, str], *, root: bool | None
) -> list[Problem]:
    """One problem for missing tools, one for missing permission."""
    real = [paths[0] for paths in drives if tools_for(paths[0])]
    problems = []
    lost = [
        what
        for facts, tools_of in ((("health", "temperature", "errors"), health_tools), (("write cache",), cache_tools))
        for what in facts
        if any(not tools_of(block) & set(found) for block in real)
    ]
    missing = [name for name in wanted if name not in found]
    if lost:
        problems.append(
            Problem(
                severity="warning",
                where=FAMILY,
                message=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} not installed: {listing(lost)} of "
                "the plain drives are shown only as far as the kernel reports them.",
                remedy=f"Install {listing(sorted({PACKAGES[name] for name in missing}))}.",
                kind="no_tool",
            )
        )
    if root is False and real:
        problems.append(_no_root([block.node for block in real]))
    return problems


def _no_root(nodes: Sequence[str]) -> Problem:
    shown = listing(nodes) if len(nodes) <= 4 else f"{len(nodes)} drives"
    return Problem(
        severity="warning",
        where=FAMILY,
        message=f"Querying the drives needs root: {shown} "
        f"{'is' if len(nodes) == 1 else 'are'} shown with kernel data only.",
        remedy="Run raidctl as root.",
        kind="no_right",
    )


def _merged(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once; the many "not permitted" of single drives as one."""
    kept: dict[Problem, None] = {}
    refused: list[str] = []
    for problem in problems:
        if problem.kind == "no_right" and problem.where != FAMILY:
            refused.append(problem.where)
        else:
            kept[problem] = None
    if refused and not any(problem.kind == "no_right" for problem in kept):
        kept[_no_root(sorted(set(refused)))] = None
    return list(kept)
