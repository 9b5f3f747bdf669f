"""Saved resources of a whole tree are read. Missing parts are unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from raidctl.model import Inventory
from raidctl.recording.loose_files import collect_outputs
from raidctl.survey.survey import survey_documents
from raidctl.vendor.registry import vendors
from tests.support.conclusions import anything_unread, read_text
from tests.support.machines import replayed
from tests.vendors.redfish.damaged_machines import resources

MACHINE = "redfish-xcc-930-8i"
SYSTEM = "/redfish/v1/Systems/1"


def _tree() -> dict[str, Any]:
    """The resources of a machine, with a type for each collection."""
    found = resources(MACHINE)
    kinds = {path: f"#{path.rstrip('/').rpartition('/')[2]}Collection.{path.rpartition('/')[2]}" for path in found}
    return {
        path: {"@odata.type": kinds[path], **value} if "Members" in value else value for path, value in found.items()
    }


def _seen(tree: dict[str, Any], place: Path) -> Inventory:
    """The inventory of the tree, saved as one file for each resource."""
    for path, value in tree.items():
        folder = place / path.strip("/")
        folder.mkdir(parents=True)
        (folder / "index.json").write_text(json.dumps(value))
    found, problems = vendors()
    gathered = collect_outputs(place, found)
    return survey_documents(gathered.texts, source="replay:tree", problems=[*problems, *gathered.problems]).inventory


def test_a_saved_tree_is_read_like_the_bmc(tmp_path: Path) -> None:
    """A saved tree gives the controllers and problems of the BMC itself."""
    seen = _seen(_tree(), tmp_path)
    live = replayed(MACHINE).inventory
    assert [(controller.id, len(controller.volumes), len(controller.drives)) for controller in seen.controllers] == [
        (controller.id, len(controller.volumes), len(controller.drives)) for controller in live.controllers
    ]
    assert seen.problems == live.problems


def test_other_resources_are_one_note(tmp_path: Path) -> None:
    """Resources that are not of storage are counted in one note. Network ports are such resources."""
    more = {
        f"{SYSTEM}/EthernetInterfaces/{number}": {
            "@odata.id": f"{SYSTEM}/EthernetInterfaces/{number}",
            "@odata.type": "#EthernetInterface.v1_6_0.EthernetInterface",
        }
        for number in range(9)
    }
    seen = _seen({**_tree(), **more}, tmp_path)
    notes = [problem.message for problem in seen.problems if "not a resource of a controller" in problem.message]
    assert notes == ["It is not a resource of a controller, volume, drive or battery, nor are 8 others."]


def test_a_system_whose_storage_was_not_saved_is_unknown(tmp_path: Path) -> None:
    """A system with a link to unsaved storage is one problem."""
    system = _tree()[SYSTEM]
    for number, (change, words) in enumerate(
        [({}, "Its storage is described by resources that are not given"),
         ({"Storage": None, "SimpleStorage": {"@odata.id": f"{SYSTEM}/SimpleStorage"}}, "a schema of 2015")]
    ):  # fmt: skip
        seen = _seen({SYSTEM: {**system, **change}}, tmp_path / str(number))
        [problem] = seen.problems
        assert (problem.kind, words in problem.message) == ("unread", True)


def test_members_that_a_saved_collection_lists_are_unknown_without_their_files(tmp_path: Path) -> None:
    """A volume that only the saved collection names is a problem, also if the file is the collection's first page."""
    tree = _tree()
    [volumes, *_] = [path for path, value in tree.items() if path.endswith("/Volumes") and len(value["Members"]) > 1]
    names = [member["@odata.id"] for member in tree[volumes]["Members"]]
    first = {**tree[volumes], "Members": [{**tree[names[0]], "@odata.type": "#Volume.v1_9_0.Volume"}]}
    for number, changed in enumerate(
        [
            {path: value for path, value in tree.items() if path not in names[1:]},
            {**{path: value for path, value in tree.items() if path not in names}, volumes: first},
        ]
    ):
        seen = _seen(changed, tmp_path / str(number))
        found = [problem.message for problem in seen.problems if problem.where == volumes]
        words = f"It lists {len(names)} members, {len(names) - 1} of them not given"
        assert [message.partition(":")[0] for message in found] == [words]


def test_a_linked_battery_that_was_not_saved_is_unknown(tmp_path: Path) -> None:
    """A battery that only its link names is one problem."""
    tree = {path: value for path, value in _tree().items() if "/Batteries/" not in path}
    found = [one.kind for one in _seen(tree, tmp_path).problems if "battery is described" in one.message]
    assert found == ["unread"]


def test_a_resource_without_an_opening_bracket_is_damaged() -> None:
    """What follows the bracket that closes it too early is not passed over."""
    path = next(path for path, value in resources(MACHINE).items() if ".Drive" in value.get("@odata.type", ""))
    lines = json.dumps(resources(MACHINE)[path], indent=1).splitlines()
    opening = [number for number, line in enumerate(lines) if number and line.endswith("{")]
    whole = [
        number for number in opening if not anything_unread(read_text("\n".join(lines[:number] + lines[number + 1 :])))
    ]
    assert opening
    assert whole == []
