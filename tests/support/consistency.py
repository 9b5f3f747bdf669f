"""Whether ids, references and facts of an observation fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from raidctl.evidence import Output
from raidctl.model import Controller, Model


def objects_of(controller: Controller) -> Iterator[tuple[str, Model]]:
    """A controller and every object on it, with its id."""
    yield controller.id, controller
    for items in (controller.batteries, controller.arrays, controller.volumes, controller.drives):
        yield from ((item.id, item) for item in items)


def ids_of(controller: Controller) -> Iterator[str]:
    """Every id on a controller."""
    yield from (name for name, _ in objects_of(controller))


def inconsistencies(controllers: Iterable[Controller], outputs: Iterable[Output]) -> Iterator[str]:
    """Ids that two objects have, references to nothing, and facts of no object. A line for each kind."""
    controllers = tuple(controllers)
    counted = Counter(name for controller in controllers for name in ids_of(controller))
    if twice := [name for name, count in counted.items() if count > 1]:
        yield f"Ids that two objects have: {twice}."
    for controller in controllers:
        named = {name for array in controller.arrays for name in (*array.drives, *array.spares)}
        named |= {volume.array for volume in controller.volumes if volume.array}
        named |= {drive.array for drive in controller.drives if drive.array}
        named |= {name for drive in controller.drives for name in drive.spare_for}
        if lost := sorted(named - set(ids_of(controller))):
            yield f"Ids that objects of {controller.id} name, and nothing has: {lost}."
    if unknown_ids := sorted({fact.object_id for output in outputs for fact in output.facts} - counted.keys()):
        yield (
            f"Facts of objects that the inventory does not have: {unknown_ids}; an id in to_model is the one that "
            "ControllerDraft.owned gives the object's draft (/aNAME, /vNAME, /KEY, /batteryN), with which "
            "write_evidence records its facts."
        )
