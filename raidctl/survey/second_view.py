"""Join what a service processor lists with what the machine's own tools list: one machine, two views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raidctl.host import HostView
from raidctl.model import Controller
from raidctl.select import family_of
from raidctl.vendor.protocol import Vendor


def families(vendors: Iterable[Vendor]) -> frozenset[str]:
    """The families that see the machine from outside: those with the constant ``SECOND_VIEW``."""
    return frozenset(vendor.FAMILY for vendor in vendors if getattr(vendor, "SECOND_VIEW", False))


def alone(view: HostView, controllers: Sequence[Controller], vendors: Iterable[Vendor]) -> bool:
    """Whether only a service processor was asked, so that nothing of the kernel is missing."""
    outside = families(vendors)
    asked = not (view.blocks or view.kernel or view.hostname)
    return asked and any(family_of(controller) in outside for controller in controllers)
