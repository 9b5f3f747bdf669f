"""Progress lines of a replacement during the rebuild: percentage, new errors, obstacles. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidctl.health.phrases import errors
from raidctl.operate.replacement_facts import Facts, Part, parts
from raidctl.select import family_in
from raidctl.survey.survey import Survey
from raidctl.units import format_percent
from raidctl.vendor.operations import operations_of
from raidctl.vendor.protocol import Vendor


def news(seen: Survey, facts: Facts, vendors: Sequence[Vendor]) -> Iterator[tuple[str, str]]:
    """Yield a key and a sentence, which is printed once per key."""
    found = parts(seen, facts)
    arrays = [] if isinstance(found, str) else found
    yield from _more_errors(arrays, facts)
    for part in arrays:
        percent = part.volume.progress.percent if part.volume.progress is not None else None
        if percent is not None:
            # one line for every ten percent
            text = f"{part.volume.id}: {format_percent(percent // 10 * 10)}"
            yield text, text
    for text in held(arrays, vendors):
        yield text, text


def _more_errors(arrays: Sequence[Part], facts: Facts) -> Iterator[tuple[str, str]]:
    """Report if another member has more errors than at the start."""
    before = dict(word.split("=", 1) for word in facts.errors.split())
    for drive in (drive for part in arrays for drive in part.members):
        if (drive.errors.media or 0) > int(before.get(drive.id, "0")):
            yield drive.id, f"Warning: {drive.id} has new errors{errors(drive)}: check the backup now."


def held(arrays: Sequence[Part], vendors: Sequence[Vendor]) -> Iterator[str]:
    """Yield why an incomplete array is not rebuilt. The command to run by hand is included."""
    families = {vendor.FAMILY: getattr(operations_of(vendor), "held", None) for vendor in vendors}
    for part in arrays:
        asked = families.get(family_in(part.volume.id))
        why = asked(part.volume) if asked is not None and not part.complete else None
        if why is not None:
            yield why
