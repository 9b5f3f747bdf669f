"""What a list of tasks leaves out, or invents, in any inventory.

python -m tests.support.unlisted_tasks DIRECTORY      # of every output in it
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from raidctl.health.redundancy import being_rebuilt
from raidctl.model import Inventory
from raidctl.recording.loose_files import collect_outputs
from raidctl.select import items
from raidctl.survey.survey import survey_documents
from raidctl.tasks.derive import BUSY
from raidctl.vendor.registry import vendors


def violations(inventory: Inventory) -> Iterator[str]:
    """Objects with an operation that no task names.

    Tasks of objects that do not exist, and tasks that appear twice, are included.
    """
    named = [name for task in inventory.tasks for name in (task.object_id, *task.also)]
    known = {item.id for controller in inventory.controllers for item in items(controller)}
    yield from (f"{name}: no such object" for name in named if name not in known)
    yield from (f"{name}: named {named.count(name)} times" for name in set(named) if named.count(name) > 1)
    busy: list[str] = []
    for controller in inventory.controllers:
        busy += [volume.id for volume in controller.volumes if volume.status in BUSY or volume.progress]
        busy += [drive.id for drive in controller.drives if drive.progress or being_rebuilt(drive)]
        busy += [battery.id for battery in controller.batteries if battery.status == "learning"]
        idle = {volume.id for volume in controller.volumes if volume.status == "ok" and not volume.progress}
        yield from (f"{name}: nothing is going on" for name in named if name in idle)
    yield from (f"{name}: no task names it" for name in busy if name not in named)


def main() -> int:
    """Print every violation in a directory of outputs."""
    found = 0
    for path in sorted(Path(sys.argv[1]).rglob("*")):
        if path.is_file():
            kept = collect_outputs(str(path), vendors()[0])
            inventory = survey_documents(kept.texts, source=str(path), problems=kept.problems).inventory
            for line in violations(inventory):
                found += 1
                sys.stdout.write(f"{path}: {line}\n")
    sys.stdout.write(f"{found} violations\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
