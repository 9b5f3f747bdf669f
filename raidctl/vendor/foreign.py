"""Preview of foreign configurations: a module ``foreign`` in the package.

A package has it if its tool can show their content.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol, cast

from msgspec import Struct

from raidctl.described import doc
from raidctl.model import Controller, RaidLevel, Tool
from raidctl.request import Dialogue
from raidctl.vendor.parts import part_of
from raidctl.vendor.protocol import Vendor


class ForeignVolume(Struct, frozen=True, kw_only=True):
    """A volume that an import would add."""

    number: Annotated[str, doc("Its number in the preview.")]
    name: Annotated[str | None, doc("Its label; null: none, or not reported.")] = None
    raid_level: Annotated[RaidLevel | None, doc("Level; null: not reported.")] = None
    size_bytes: Annotated[int | None, doc("Size, bytes; null: not reported.")] = None
    status_text: Annotated[str | None, doc("The tool's word for the state that it would have.")] = None
    complete: Annotated[bool | None, doc("Whether its data could be read; null: not reported.")] = None


class ForeignPreview(Struct, frozen=True, kw_only=True):
    """What an import would add, according to the tool."""

    volumes: Annotated[tuple[ForeignVolume, ...], doc("The volumes.")] = ()
    complete: Annotated[bool | None, doc("Whether no drives of them are missing; null: unknown.")] = None
    why: Annotated[str | None, doc("Why that is unknown, or what is missing, in the tool's words.")] = None
    lines: Annotated[tuple[str, ...], doc("Further facts that the tool prints, `LABEL: VALUE`.")] = ()


class Foreign(Protocol):
    """A vendor package whose tool previews imports."""

    def selects(self, controller: Controller) -> bool:
        """Whether the tool can act on one of a controller's foreign configurations."""

    def preview(self, controller: Controller, tools: Sequence[Tool]) -> Dialogue[ForeignPreview | str]:
        """What an import would add; a sentence: why there is no preview. Changes nothing."""


def foreign_of(vendor: Vendor) -> Foreign | None:
    """Return how a family previews imports. None for a family that does not."""
    return cast("Foreign | None", part_of(vendor, "foreign", without="preview"))
