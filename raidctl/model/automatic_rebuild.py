"""Whether a controller starts rebuilds without a command. Pure."""

from __future__ import annotations

from raidctl.model.inventory import Controller


def no_automatic_rebuild(controller: Controller) -> bool:
    """Whether rebuilds onto a spare have to be started by hand: ``Auto Rebuild = Off`` of MegaRAID."""
    return any(
        label.lower().endswith("auto rebuild") and word.strip().lower() in ("off", "disabled", "no")
        for label, word in controller.details.items()
    )
