"""Outputs of several machines that were taken for those of one controller. Pure."""

from __future__ import annotations

from collections.abc import Collection

from raidctl.text import collapse, listing
from raidctl.vendor.draft import Complaint, Draft


def note_mixed(controller: Draft) -> None:
    """Report a controller whose outputs have several serial numbers. Machines number controllers alike."""
    serials = {collapse(str(value)).upper(): None for _, name, value in controller.evidence if name == "serial"}
    if len(serials) > 1:
        message = (
            f"The outputs are of several controllers with one number (serial numbers {listing(serials)}): "
            "what belongs to which is unknown."
        )
        controller.add_problem("error", "unread", message, "Save the outputs of each machine in a separate file.")


def described_twice(name: str, differences: Collection[str]) -> Complaint:
    """The problem that two outputs of one command describe an object differently."""
    message = (
        f"Two outputs describe {name} differently ({', '.join(differences)}): they are of two machines or two moments, "
        "and which one is of this machine now is unknown."
    )
    return Complaint("error", "unread", message, "Save the latest output of each machine in a separate file.")
