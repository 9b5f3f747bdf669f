"""A second view of an object, from the service processor (BMC)."""

from __future__ import annotations

from typing import Annotated, Literal

from raidctl.described import doc
from raidctl.model.block_layer import Model
from raidctl.model.cache import WriteActive, WritePolicy


class SecondView(Model, frozen=True, kw_only=True):
    """An object as the BMC reports it, and its counterpart in the inventory."""

    object_id: Annotated[
        str, doc("Id of the object in the inventory; for one that is not found there, of its controller.")
    ]
    seen_as: Annotated[str, doc("Its id in the BMC's view: `redfish:DE00C000/v239`.")]
    kind: Annotated[
        Literal["controller", "cache", "volume", "drive", "battery"],
        doc("Kind of object; `cache`: the cache of the controller."),
    ]
    listed: Annotated[
        bool | None,
        doc("The machine's own tools list it; null: there is no name or serial number to find it by."),
    ] = True
    joined_by: Annotated[str | None, doc("Unique id, world wide name or serial number that both report.")] = None
    status: Annotated[str, doc("Its status, in the words of its kind.")] = "unknown"
    status_text: Annotated[str | None, doc("The BMC's words.")] = None
    write_policy: Annotated[WritePolicy | None, doc("Of a volume: configured write policy.")] = None
    write_active: Annotated[WriteActive | None, doc("Of a volume: active write policy.")] = None
