"""cciss_vol_status and /proc/driver/cciss as an observation.

They are used on machines where no other tool of the family works.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Problem, Tool
from raidctl.request import Dialogue, Glob, Read, ask, ask_all
from raidctl.vendor import draft
from raidctl.vendor.protocol import Document, Observation
from raidctl.vendor.session import Reading, Session
from raidctl.vendor.tools import Installed
from raidctl_smartarray import proc_reader, status_reader
from raidctl_smartarray.dialogue import LOCK, TIMEOUT
from raidctl_smartarray.draft import ControllerDraft
from raidctl_smartarray.proc_reader import ProcReader
from raidctl_smartarray.status_reader import StatusReader
from raidctl_smartarray.to_model import build, controller_ids
from raidctl_smartarray.tools import DRIVERS, STATUS_TOOL

_CONTROLLERS = "12"
"""The SCSI type of a RAID controller."""
_DIFFERENT = "cciss_vol_status lists {} volumes and the kernel's driver {}, or under other numbers."


def read_status(documents: Sequence[Document], taken: Sequence[str] = ()) -> Observation:
    """Read outputs of the tool and files of the driver. The files only add what the tool does not report.

    ``taken`` are ids of controllers that other tools report.
    """
    outputs: list[Output] = []
    seen: list[tuple[ControllerDraft, str]] = []
    for document in documents:
        output = Output.of_text(document.name, document.text)
        outputs.append(output)
        if document.kind == proc_reader.KIND:
            proc = ProcReader(output)
            proc.read()
            _join(seen, proc.controllers, proc_reader.SOURCE)
        else:
            status = StatusReader(output)
            status.read()
            _join(seen, status.controllers, status_reader.TOOL)
    return _observation(outputs, seen, taken)


def _join(seen: list[tuple[ControllerDraft, str]], found: Sequence[ControllerDraft], source: str) -> None:
    """Add controllers; one whose node is known is the same one."""
    for one in found:
        same = next((known for known, _ in seen if one.node and known.node == one.node), None)
        if same is None:
            seen.append((one, source))
            continue
        if same.volumes.keys() != one.volumes.keys():
            # the tool numbers volumes in the controller's order, the driver by device: they cannot be matched with
            # certainty
            same.add_problem("warning", "unread", _DIFFERENT.format(len(same.volumes), len(one.volumes)))
            for volume in one.volumes.values():
                volume.drop_evidence()
            one.volumes = {}
        same.absorb(one)


def _observation(
    outputs: Sequence[Output], seen: Sequence[tuple[ControllerDraft, str]], taken: Sequence[str]
) -> Observation:
    named = [(one, source) for one, source in seen if one.get("model") or one.volumes or one.drives]
    ids = controller_ids([one for one, _ in named], taken)
    problems: list[Problem] = []
    controllers = []
    for (one, source), object_id in zip(named, ids, strict=True):
        controller, own = build(one, object_id)
        controllers.append(msgspec.structs.replace(controller, told_by=source, slot=None))
        problems += own
        if source == proc_reader.SOURCE:
            problems.append(_no_status(object_id))
    for one, _ in seen:
        if all(one is not known for known, _ in named):
            problems += one.problems(status_reader.TOOL)
    for output in outputs:
        problems += draft.unreadable(output, "Give the output of `cciss_vol_status -V DEVICE` as printed.")
    return Observation(controllers=tuple(controllers), problems=tuple(dict.fromkeys(problems)), outputs=tuple(outputs))


def _no_status(object_id: str) -> Problem:
    return Problem(
        severity="error", where=object_id, kind="no_tool",
        message="The kernel's driver lists the controller's volumes, but no status of them, and no drives.",
        remedy="Install hpacucli or cciss_vol_status.",
    )  # fmt: skip


def observe(host: HostView, found: Sequence[Installed]) -> Dialogue[Observation]:
    """Run cciss_vol_status for each controller, and read the cciss driver's files."""
    if not any(device.driver in DRIVERS for device in host.pci):
        return Observation()
    listed = yield from ask(Glob(f"{proc_reader.SOURCE}/*"))
    files = yield from ask_all([Read(path) for path in listed.paths])
    documents = [
        Document(path, proc_reader.KIND, answer.text or "") for path, answer in zip(listed.paths, files, strict=True)
        if (answer.text or "").strip()
    ]  # fmt: skip
    own = next((one for one in found if one.spec == STATUS_TOOL), None)
    if own is None:
        return read_status(documents)
    session = Session(own, status_reader.KIND, LOCK, TIMEOUT, _reading)
    nodes = yield from _nodes(host)
    if nodes:
        yield from session.run_all([("-V", node) for node in nodes])
    read = [_with_errors(call.document, call.answer.error_text) for call in session.calls if call.document is not None]
    answer = read_status([*read, *documents])
    tools = (Tool(name=own.spec.name, path=own.path),)
    return msgspec.structs.replace(answer, problems=(*session.problems, *answer.problems), tools=tools)


def _reading(document: Document) -> Reading[Document]:
    return Reading(document)


def _with_errors(document: Document, errors: str) -> Document:
    """The output with what the tool printed to standard error."""
    if errors.strip() in ("", document.text.strip()):
        return document
    return Document(document.name, document.kind, f"{document.text.rstrip()}\n{errors}")


def _nodes(host: HostView) -> Dialogue[list[str]]:
    """Return the device nodes of controllers.

    The cciss driver has ``/dev/cciss/c0d0``, the others have ``/dev/sg2``.
    """
    blocks = yield from ask(Glob("/dev/cciss/c*d0"))
    types = yield from ask(Glob("/sys/class/scsi_generic/*/device/type"))
    answers = yield from ask_all([Read(path) for path in types.paths])
    generic = [
        f"/dev/{path.split('/')[4]}" for path, answer in zip(types.paths, answers, strict=True)
        if (answer.text or "").strip() == _CONTROLLERS
    ]  # fmt: skip
    own = {device.driver for device in host.pci}
    return [*blocks.paths, *(generic if own & {"hpsa", "smartpqi"} else ())]
