"""The dialogue that reads a machine.

It asks for mdstat, sysfs, ``mdadm --detail`` for each array, and ``--examine`` if that is incomplete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from raidctl.host import HostView
from raidctl.model import Problem, Tool
from raidctl.request import (
    Answer,
    Dialogue,
    Failure,
    GlobAnswer,
    Read,
    ReadAnswer,
    Run,
    RunAnswer,
    WhichAnswer,
    ask_all,
)
from raidctl.text import collapse, counted
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import death
from raidctl_md import monitoring
from raidctl_md.draft import ArrayDraft, Reading, Source, key_of
from raidctl_md.group import Alias
from raidctl_md.probe import MDSTAT, First
from raidctl_md.query import complaint_of
from raidctl_md.reader import read_documents
from raidctl_md.sysfs import ARRAY_FILES, MEMBER_FILES
from raidctl_md.to_model import build

_LIMIT = 65_536
_BY_HAND = "Run it by hand; kernel data is shown."


class _Outputs(Struct):
    """What was read so far.

    Not a session with a tool (:mod:`raidctl.vendor.session`): files are read beside mdadm, and where a call fails the
    kernel's data takes its place, so its problem is milder.
    """

    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)


def observe(host: HostView, first: First) -> Dialogue[Observation]:
    """Read all arrays of a machine after the first probe found some."""
    tool, mdstat, arrays, members = first
    asked = _Outputs()
    if mdstat.text is not None:
        asked.documents.append(Document(MDSTAT, "md", mdstat.text))
    elif mdstat.trouble is not Failure.MISSING:
        asked.problems.append(_unreadable(mdstat))
    names = _names(asked.documents, arrays)
    if not names:
        reading = read_documents(asked.documents)
        return replace(build(reading), problems=tuple(asked.problems))
    may_run = _tool_problems(host, tool, names, asked)
    if may_run:
        asked.tools.append(Tool(name="mdadm", path=tool.path))
    monitoring_answers = yield from _read_arrays(names, members, asked, may_run=may_run)
    if may_run:
        yield from _examine(asked)
    measured = {block.node for block in host.blocks if block.size_bytes}
    found = build(read_documents(asked.documents), _alias(host), measured)
    found = monitoring.applied(found, (yield from monitoring.read(monitoring_answers)))
    return replace(found, problems=(*asked.problems, *found.problems), tools=tuple(asked.tools))


def _unreadable(answer: ReadAnswer) -> Problem:
    denied = answer.trouble is Failure.DENIED
    why = answer.detail or (answer.trouble.value if answer.trouble else "no data")
    return Problem(
        severity="error",
        where=MDSTAT,
        message=f"{MDSTAT} could not be read: {why}.",
        remedy="Run it as root." if denied else "Read it with `cat /proc/mdstat`.",
        kind="no_right" if denied else "unread",
    )


def _names(documents: Sequence[Document], arrays: GlobAnswer) -> list[str]:
    """Kernel names of the arrays, from mdstat and sysfs."""
    listed = [
        key_of(draft.node) for draft in read_documents(documents).drafts if draft.source is Source.MDSTAT and draft.node
    ]
    return list(dict.fromkeys([*listed, *(path.split("/")[3] for path in arrays.paths if path.count("/") > 4)]))


def _tool_problems(host: HostView, tool: WhichAnswer, names: Sequence[str], asked: _Outputs) -> bool:
    """Whether mdadm can be used; adds a problem if not."""
    count = counted(len(names), "md array")
    if tool.path is None:
        missing = tool.trouble in (Failure.MISSING, None)
        asked.problems.append(
            Problem(
                severity="warning",
                where="mdadm",
                message=f"{count} found, but mdadm {'is not installed' if missing else 'could not be looked for'}; "
                "only kernel data is shown.",
                remedy="Install the package mdadm.",
                kind="no_tool" if missing else "unread",
            )
        )
        return False
    if host.root is False:
        asked.problems.append(
            Problem(
                severity="warning",
                where="mdadm",
                message=f"{count} found, but mdadm needs root to open them; only kernel data is shown.",
                remedy="Run it as root (sudo).",
                kind="no_right",
            )
        )
        return False
    return True


def _read_arrays(
    names: Sequence[str], members: GlobAnswer, asked: _Outputs, *, may_run: bool
) -> Dialogue[Sequence[Answer]]:
    """Read sysfs files and ``mdadm --detail`` of all arrays at once. Return the replies about checks and monitoring."""
    listed: dict[str, list[str]] = {name: [] for name in names}
    for path in members.paths:
        pieces = path.split("/")
        if len(pieces) > 5 and pieces[3] in listed:
            listed[pieces[3]].append(pieces[5])
    files = {
        name: [*ARRAY_FILES, *(f"{member}/{file}" for member in found for file in MEMBER_FILES)]
        for name, found in listed.items()
    }
    reads = [Read(f"/sys/block/{name}/md/{file}", _LIMIT) for name, wanted in files.items() for file in wanted]
    runs = [Run(("mdadm", "--detail", f"/dev/{name}")) for name in names] if may_run else []
    answers = yield (*reads, *runs, *monitoring.REQUESTS)
    texts = iter(answers[: len(reads)])
    for name, wanted in files.items():
        text = "".join(_lines(file, next(texts)) for file in wanted)
        if text:
            asked.documents.append(Document(f"/sys/block/{name}/md", "sysfs", text))
    asked_of = len(reads) + len(runs)
    for run, answer in zip(runs, answers[len(reads) : asked_of], strict=True):
        _read_run(run, answer, asked)
    return cast("Sequence[Answer]", answers[asked_of:])


def _lines(file: str, answer: ReadAnswer) -> str:
    text = (answer.text or "").strip()
    return "".join(f"{file}: {line}\n" for line in text.splitlines())


def _read_run(run: Run, answer: RunAnswer, asked: _Outputs) -> None:
    command = " ".join(run.argv)
    if answer.text.strip():
        asked.documents.append(Document(command, "md", answer.text))
    if answer.trouble is not None:
        asked.problems.append(_trouble(command, answer))
    elif (died := death(answer, command, "mdadm")) is not None:
        asked.problems.append(replace(died, severity="warning", remedy=_BY_HAND))
    elif answer.code and (answer.err.strip() or not answer.out.strip()):
        words = collapse(answer.error_text.replace("mdadm: ", ""))
        message = complaint_of(words[:500] or f"no message; exit code {answer.code}")
        asked.problems.append(message.problem(command))


def _trouble(command: str, answer: RunAnswer) -> Problem:
    kinds = {Failure.MISSING: "no_tool", Failure.DENIED: "no_right"}
    kind = kinds.get(answer.trouble, "unread") if answer.trouble else "unread"
    why = answer.detail or (answer.trouble.value if answer.trouble else "")
    return Problem(
        severity="warning",
        where=command,
        message=f"`{command}` failed: {why}.",
        remedy=_BY_HAND,
        kind="no_tool" if kind == "no_tool" else "no_right" if kind == "no_right" else "unread",
    )


def _examine(asked: _Outputs) -> Dialogue[None]:
    """Read the superblocks of members of containers and inactive arrays."""
    nodes = _worth_examining(read_documents(asked.documents))
    runs = [Run(("mdadm", "--examine", node)) for node in nodes]
    answers = yield from ask_all(runs)
    for run, answer in zip(runs, answers, strict=True):
        _read_run(run, answer, asked)


def _worth_examining(reading: Reading) -> list[str]:
    nodes: dict[str, None] = {}
    for draft in reading.drafts:
        if draft.is_container or draft.get("status") == "inactive":
            nodes.update(dict.fromkeys(_nodes(draft)))
    return list(nodes)


def _nodes(draft: ArrayDraft) -> Iterable[str]:
    return (member.node for member in draft.members.values() if member.node)


def _alias(host: HostView) -> Alias:
    names = {link: block.name for block in host.blocks for link in (block.node, *block.links)}
    return names.get
