"""The guard of changes, applied to a controller. It is for the tests of the vendor packages."""

from __future__ import annotations

from raidctl.change.guard import unsafe
from raidctl.model import Controller
from raidctl.vendor.plan import Desired, Setting


def passes(controller: Controller, value: str = "protected_write_back", setting: Setting = "write_policy") -> bool:
    """Whether the guard allows a change of the first volume or controller."""
    object_id = controller.volumes[0].id if setting == "write_policy" else controller.id
    return unsafe(controller, Desired(object_id=object_id, setting=setting, value=value)) is None
