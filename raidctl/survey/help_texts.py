"""Help texts of tools that list their commands only there. raidctl reads them only before deeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from raidctl.model import Controller
from raidctl.request import Run, Runner, ask_all, converse
from raidctl.survey.survey import Survey
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import vendor_of


def add_help_texts(
    seen: Survey, runner: Runner, vendors: Sequence[Vendor], known: Mapping[str, str] | None = None
) -> Survey:
    """Return the reading with the help texts its controllers' families need. Failed ones are left out.

    ``known``: those that were read before; a help text does not change while a deed is watched.
    """
    texts = dict(known or {})
    needed = (request for controller in seen.inventory.controllers for request in _of(controller, seen, vendors))
    requests = [request for request in dict.fromkeys(needed) if request.argv[0] not in texts]
    answers = converse(ask_all(requests), runner) if requests else ()
    texts |= {
        request.argv[0]: f"{answer.text}\n{answer.error_text}"
        for request, answer in zip(requests, answers, strict=True)
        if answer.trouble is None
    }
    return replace(seen, view=replace(seen.view, help_texts=texts)) if texts else seen


def _of(controller: Controller, seen: Survey, vendors: Sequence[Vendor]) -> Iterator[Run]:
    vendor = vendor_of(controller.id, vendors)
    offered = operations_of(vendor) if vendor is not None else None
    if vendor is not None and offered is not None and hasattr(offered, "help_requests"):
        names = {spec.name for spec in vendor.TOOLS}
        yield from offered.help_requests(controller, [tool for tool in seen.inventory.tools if tool.name in names])
