"""Read complete or partial outputs of the tools into an observation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from raidctl.model import Controller, Problem, Tool
from raidctl.vendor.controllers import observation_of, read_outputs, with_tool
from raidctl.vendor.draft import unreadable
from raidctl.vendor.protocol import Document, Observation
from raidctl_mpt.draft import Controllers
from raidctl_mpt.reader import Reader
from raidctl_mpt.to_model import build

KIND = "ircu"
"""The one form of document. Every output of the tools has the same grammar."""
_REMEDY = "Give the outputs of `sas3ircu LIST`, `sas3ircu 0 DISPLAY` and `sas3ircu 0 STATUS` as printed."
_NO_DEVICES: Mapping[str, str] = MappingProxyType({})


def read(documents: Sequence[Document]) -> Observation:
    """Read outputs and combine those of one controller. Never raises for their contents."""
    return assemble(documents)


def assemble(
    documents: Sequence[Document],
    problems: Iterable[Problem] = (),
    tools: Sequence[Tool] = (),
    *,
    devices: Mapping[str, str] = _NO_DEVICES,
    left_out: Callable[[Controller], bool] = lambda _: False,
) -> Observation:
    """Assemble the observation of a dialogue.

    Its problems, tools and devices are included, and controllers that other families show are left out.
    """
    controllers = Controllers()
    readers = read_outputs(documents, lambda output: Reader(output, controllers))
    found, reported = [], list(problems)
    for controller in controllers.reported():
        described = build(controller, devices)
        reported += controller.problems(described.id)  # an enclosure that has failed, also behind an HBA
        if left_out(described):
            for draft in controller.all():
                draft.drop_evidence()
            continue
        controller.write_evidence(described.id)
        found.append(with_tool(described, controller, tools))
    for reader in readers:
        reported += [_error(error, reader.output.command) for error in reader.errors[:20]]
        reported += unreadable(reader.output, _REMEDY, known=reader.errors or reader.ended)
    return observation_of(found, reported, readers, tools)


def _error(error: str, where: str) -> Problem:
    """``SAS2IRCU: MPTLib2 Error 1``: the tool found no controller, or may not open its device."""
    return Problem(
        severity="error", kind="unread", where=where, message=f"The tool reports: {error}",
        remedy="Run the command by hand, as root; the driver's device /dev/mpt2ctl or /dev/mpt3ctl has to exist.",
    )  # fmt: skip
