"""Conclusions from what the vendor packages found: the steps of :mod:`raidctl.survey.survey` after they are asked.

On a live machine it is imported while the tools run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from raidctl.health.redundancy import with_redundancy
from raidctl.host import HostView
from raidctl.json_decode import valid_text
from raidctl.model import Controller, Host, Inventory, Problem, write_protection
from raidctl.order import in_order
from raidctl.select import family_of
from raidctl.survey import (
    block_devices,
    kernel_facts,
    md_members,
    merge_controllers,
    pci_controllers,
    second_view,
    truncated_outputs,
)
from raidctl.survey.failed_requests import FailureWatch
from raidctl.survey.results import Results
from raidctl.survey.same_objects import ProblemPlaces, drop_objects
from raidctl.survey.undescribed_members import undescribed
from raidctl.survey.unmatched_drives import unmatched
from raidctl.tasks.derive import tasks_of
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.registry import families_that_count_redundancy


def merge(results: Results, vendors: Sequence[Vendor], view: HostView) -> tuple[HostView, tuple[Controller, ...]]:
    """Merge controllers listed twice, and find the block devices of volumes and drives.

    Returns:
        The kernel's view with the devices that these claim, and the controllers of families that see the machine from
        outside: :func:`complete` joins them.
    """
    outside = _outside(vendors, results)
    _merge_controllers(vendors, results)
    drivers = {vendor.FAMILY: vendor.DRIVERS for vendor in vendors}
    _keep(block_devices.link(results.controllers, view, drivers), results)
    _merge_controllers(vendors, results)  # with the kernel's PCI addresses more of them prove to be the same
    outside = _linked_outside(outside, view, results)
    volumes = [replace(controller, drives=()) for controller in outside]  # its plain drives are the kernel's as well
    claimed = block_devices.claimed_nodes([*results.controllers, *volumes], view)
    return replace(view, claimed=claimed), outside


def complete(
    results: Results, vendors: Sequence[Vendor], view: HostView, outside: Sequence[Controller], watched: FailureWatch
) -> None:
    """Add what no tool lists, what was not read, and the kernel's facts on each device that is shown."""
    _join_outside(outside, results)
    installed = [tool.name for tool in results.tools]
    bare, missing = pci_controllers.unlisted(
        view, results.controllers, vendors, installed, results.broken, known=results.problems
    )
    results.controllers += bare
    results.problems += [*missing, *unmatched(view, results.controllers)]
    results.outputs += pci_controllers.evidence(bare, view)
    _keep(block_devices.add_mountpoints(results.controllers, view), results)
    results.problems += watched.problems(results.problems)
    if not watched.machine_failed and second_view.alone(view, results.tools, vendors):
        results.problems = [problem for problem in results.problems if problem not in results.of_kernel]
    results.controllers = md_members.add_backing(results.controllers, view, results.outputs)
    _keep(kernel_facts.add_facts(results.controllers, view), results)


def complete_documents(results: Results, vendors: Sequence[Vendor]) -> None:
    """Merge what loose outputs describe. There is no kernel's view."""
    _merge_controllers(vendors, results)
    results.controllers = md_members.add_backing(results.controllers, HostView(), results.outputs)


def inventory_of(host: Host, results: Results, vendors: Iterable[Vendor]) -> Inventory:
    """The inventory, with the failures that volumes survive, and background operations."""
    counting = families_that_count_redundancy(vendors)
    concluded = write_protection.derived(with_redundancy(results.controllers, counting))
    controllers = truncated_outputs.withdraw_unsupported(concluded, results.outputs, results.problems)
    ordered = tuple(in_order(controllers, key=lambda controller: controller.id))
    return Inventory(
        host=valid_text(host),  # its source may be the path of a recording
        controllers=ordered,
        tasks=tasks_of(ordered),
        problems=(*results.problems, *undescribed(ordered)),
        tools=tuple(results.tools),
        second_views=results.views,
    )


def _outside(vendors: Sequence[Vendor], results: Results) -> tuple[Controller, ...]:
    """Take out controllers of families that see the machine from outside. :func:`complete` joins them."""
    families = second_view.families(vendors)
    found = tuple(one for one in results.controllers if family_of(one) in families)
    results.controllers = [one for one in results.controllers if family_of(one) not in families]
    return found


def _linked_outside(outside: Sequence[Controller], view: HostView, results: Results) -> tuple[Controller, ...]:
    """Match a BMC's volumes with kernel devices if no tool reads them."""
    linked = block_devices.link(outside, view) if outside else block_devices.Linked(())
    results.outputs += linked.outputs
    return linked.controllers


def _join_outside(outside: Sequence[Controller], results: Results) -> None:
    unread = [problem.where for problem in results.problems if problem.kind in ("unread", "no_right")]
    joined = second_view.join(results.controllers, outside, unread)
    results.controllers += joined.left
    results.views = joined.views
    _drop(joined.dropped, joined.problems, results)


def _merge_controllers(vendors: Sequence[Vendor], results: Results) -> None:
    """Merge controllers that several families or tools list."""
    tools = {vendor.FAMILY: [tool.name for tool in vendor.TOOLS] for vendor in vendors}
    merged = merge_controllers.merge(results.controllers, results.outputs, tools)
    results.controllers = list(merged.controllers)
    _drop(merged.dropped, merged.problems, results)


def _keep(linked: block_devices.Linked, results: Results) -> None:
    results.controllers = list(linked.controllers)
    results.problems += linked.problems
    results.outputs += linked.outputs


def _drop(dropped: ProblemPlaces, problems: Sequence[Problem], results: Results) -> None:
    results.problems = [*drop_objects(results.outputs, results.problems, dropped), *problems]
