"""Which drives belong to which array, as the array and the drives report it."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.model import Controller


def membership_faults(controller: Controller) -> Iterator[str]:
    """Contradictions between the lists of an array and the fields of its drives, a line for each."""
    drives = {drive.id: drive for drive in controller.drives}
    arrays = {array.id: array for array in controller.arrays}
    for array in controller.arrays:
        members = [drives[name] for name in array.drives if name in drives]
        for drive in members:
            if drive.role == "spare":
                yield f"{drive.id} has role spare, but is in `drives` of {array.id} (a spare is in `spares`)"
            if drive.array != array.id:
                yield f"{drive.id} is in `drives` of {array.id}, but its `array` is {drive.array}"
        for drive in (drives[name] for name in array.spares if name in drives):
            if drive.role != "spare":
                yield f"{drive.id} is in `spares` of {array.id}, but has role {drive.role}"
    for drive in controller.drives:
        home = arrays.get(drive.array or "")
        if home is not None and drive.id not in (*home.drives, *home.spares):
            yield f"{drive.id} has `array` {home.id}, which has it neither in `drives` nor in `spares`"
        for name in drive.spare_for:
            if name in arrays and drive.id not in arrays[name].spares:
                yield f"{drive.id} has `spare_for` {name}, which does not have it in `spares`"
