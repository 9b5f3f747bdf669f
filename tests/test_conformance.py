"""The same checks for every vendor package on every recorded machine. A new family needs no new test code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import jsonschema
import msgspec
import pytest

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Drive, Inventory, Volume, failed_readings
from raidctl.model.problem import program_of
from raidctl.output.explain import facts_of, final_values, shown_value
from raidctl.output.json import to_json
from raidctl.request import Answer, Failure, Request, Run, RunAnswer, converse, decode
from raidctl.runners.answers import answer_of
from raidctl.survey.block_devices import claimed_nodes
from raidctl.vendor.protocol import CAPABILITIES, Document, Observation, Vendor
from raidctl.vendor.registry import vendors
from tests.support.consistency import ids_of, inconsistencies, objects_of
from tests.support.machines import FIXTURES, MACHINES, recording, replayed
from tests.support.membership import membership_faults

VENDORS, UNUSABLE = vendors()
families = pytest.mark.parametrize("vendor", VENDORS, ids=[vendor.FAMILY for vendor in VENDORS])
machines = pytest.mark.parametrize("machine", MACHINES)
UPDATE = "If the new one is right, run this test with --update-expected -k MACHINE, and compare it with the output."
PROGRAMS = {"raidctl_mfi"}
"""A separate program that a family runs; no family."""
PARTIAL = {"drives", "lvm", "md", "redfish", "zfs"}
"""Families that may leave out capabilities.

Volumes of the kernel and plain drives have no controller cache; what a BMC describes is set by another family's tool.
"""
SEVERAL_TOOLS = {"drives", "md"}
"""Families whose objects are each read by several tools."""
KERNEL = "pci"
"""The family of controllers that no tool describes."""
STATES = {
    f"{kind}{word}" for kind in ("", "controller ", "volume ", "drive ", "battery ") for word in ("status", "state")
}
"""Labels of an object's own status, which is not a detail."""
ABSENT = "(nothing)"
OWN_FIELDS = (
    "Facts of fields that the model's object does not have. Give Draft.put or Field `shown_as` (the field or "
    "`details[LABEL]` that shows the line), or write_evidence `shown_on`:"
)
UNMATCHED = (
    "Drives of the kernel that are shown nowhere. A volume is matched by its `device`, its `unique_id`, or a detail "
    '"SCSI target" (`0:1:0`: channel, target, LUN):'
)
UNITS = (
    "Sizes that are not those of their devices. Is a GB of the tool 1000 or 1024 MB (`binary` of "
    "`raidctl.units.parse_size`), or is the device another volume's?"
)
ROUNDING = 0.01
"""Part of a size that a tool may round away. KB, MB, GB in powers of 1000 or 1024 differ by at least 2.4%."""


def test_every_vendor_package_is_installed() -> None:
    """Every vendor package is installed.

    Otherwise this suite would pass over it, and write expectations without its controllers.
    """
    packages = {path.parent.name for path in (FIXTURES.parent / "vendors").glob("raidctl_*/__init__.py")} - PROGRAMS
    lacking = sorted(packages - {f"raidctl_{vendor.FAMILY}" for vendor in VENDORS})
    why = " ".join(problem.message for problem in UNUSABLE) or (
        "Add its three lines to setup.cfg, then run .venvs/3.11/bin/pip install -e . --no-deps --no-build-isolation; "
        "FAMILY is the name of the package without raidctl_."
    )
    assert not lacking, f"Not installed: {', '.join(lacking)}. {why}"


def differences(before: object, now: object, path: str = "") -> Iterator[str]:
    """What differs between two JSON values, a line for each place: ``controllers[0].status: was "ok", now null``."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            yield from differences(before.get(key, ABSENT), now.get(key, ABSENT), f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip_longest(before, now, fillvalue=ABSENT)):
            yield from differences(one, other, f"{path}[{number}]")
    elif before != now:
        was, is_now = (str(one) if one is ABSENT else json.dumps(one) for one in (before, now))
        yield f"{path}: was {was}, now {is_now}"


@machines
def test_a_recorded_machine_gives_the_inventory_that_was_reviewed(machine: str, update_expected: bool) -> None:
    """What raidctl makes of a machine equals the inventory beside it. That was compared with the raw text by eye."""
    expected = FIXTURES / machine / "expected" / "inventory.json"
    reviewed = to_json(replayed(machine).inventory)
    if update_expected:
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(reviewed, encoding="utf-8")
    assert expected.exists(), f"{machine} has no expected/inventory.json. {UPDATE}"
    differs = list(differences(json.loads(expected.read_text(encoding="utf-8")), json.loads(reviewed)))
    assert not differs, "\n".join([f"The inventory of {machine} differs. {UPDATE}", *differs])


@cache
def schema_of_inventories() -> jsonschema.protocols.Validator:
    """What checks a document against ``raidctl schema``."""
    schema = msgspec.json.schema(Inventory)
    return jsonschema.validators.validator_for(schema)(schema)


def innermost(fault: jsonschema.ValidationError) -> list[jsonschema.ValidationError]:
    """The faults of the values themselves, below the objects that have them: their messages list what is valid."""
    inner = [below for one in fault.context or () for below in innermost(one)]
    deepest = max((len(one.absolute_path) for one in inner), default=0)
    return [one for one in inner if len(one.absolute_path) == deepest] or [fault]


@machines
def test_the_json_of_a_machine_is_valid_and_has_the_types_of_the_model(machine: str) -> None:
    """The output validates against ``raidctl schema``. It decodes strictly into the model it came from."""
    inventory = replayed(machine).inventory
    text = to_json(inventory)
    faults = schema_of_inventories().iter_errors(json.loads(text))
    wrong = [f"{fault.json_path}: {fault.message[:200]}" for one in faults for fault in innermost(one)]
    assert not wrong, "\n".join(["Values that the model does not have:", *wrong])
    assert msgspec.json.decode(text, type=Inventory, strict=True) == inventory


@machines
def test_ids_references_and_facts_fit_together(machine: str) -> None:
    """No two objects have one id. Every id that an object or a fact names exists."""
    survey = replayed(machine)
    faults = list(inconsistencies(survey.inventory.controllers, survey.outputs))
    assert not faults, "\n".join(faults)


@machines
def test_an_array_and_its_drives_agree_on_members_and_spares(machine: str) -> None:
    """A drive is in `drives` of the array that it names. A spare is in `spares` only."""
    faults = [
        fault for controller in replayed(machine).inventory.controllers for fault in membership_faults(controller)
    ]
    assert not faults, "\n".join(faults)


@machines
def test_every_object_can_be_explained(machine: str) -> None:
    """Each object has at least one fact with its source line."""
    survey = replayed(machine)
    explained = {fact.object_id for output in survey.outputs for fact in output.facts}
    existing = {name for controller in survey.inventory.controllers for name in ids_of(controller)}
    silent = existing - explained - {array.id for c in survey.inventory.controllers for array in c.arrays}
    assert not silent, f"Objects without a line: {sorted(silent)}; Draft.put with the line, then write_evidence."


@machines
def test_a_fact_is_of_a_field_of_its_object(machine: str) -> None:
    """No line is explained by a name private to the vendor package."""
    survey = replayed(machine)
    objects = {name: item for controller in survey.inventory.controllers for name, item in objects_of(controller)}
    unknown = [
        f"{fact.object_id}: {fact.field}, of the line {fact.line.text.strip()!r}"
        for output in survey.outputs
        for fact in output.facts
        if fact.object_id in objects
        and fact.field.partition(".")[0].partition("[")[0] not in objects[fact.object_id].__struct_fields__
    ]
    assert not unknown, "\n".join([OWN_FIELDS, *unknown])


@machines
def test_every_drive_of_the_kernel_is_shown(machine: str) -> None:
    """Each kernel drive is a volume or drive of the inventory. Otherwise a problem of severity error explains why."""
    survey = replayed(machine)
    shown = claimed_nodes(survey.inventory.controllers, survey.view)
    left = [
        f"{block.node}, on driver {block.driver}, at SCSI address {block.scsi_address}, unique id {block.wwn}"
        for block in survey.view.blocks
        if block.kind == "disk" and block.size_bytes and block.node not in shown
    ]
    assert not left or failed_readings(survey.inventory.problems), "\n".join([UNMATCHED, *left])


@machines
def test_a_size_is_that_of_the_device(machine: str) -> None:
    """The size of a volume or drive is that of its device in the kernel, as far as the tool's rounding allows."""
    survey = replayed(machine)
    wrong = []
    for controller in survey.inventory.controllers:
        sized: tuple[Volume | Drive, ...] = (*controller.volumes, *controller.drives)
        for item in sized:
            block = survey.view.block(item.device) if item.device else None
            if block is not None and block.size_bytes and item.size_bytes:
                ratio = item.size_bytes / block.size_bytes
                if abs(ratio - 1) > ROUNDING:
                    wrong.append(f"{item.id}: {item.size_bytes} bytes, {item.device} has {block.size_bytes}")
    assert not wrong, "\n".join([UNITS, *wrong])


@machines
def test_an_explanation_never_contradicts_the_inventory(machine: str) -> None:
    """An explanation never contradicts the inventory.

    If a line alone means something else than the final value, the explanation shows both.
    """
    survey = replayed(machine)
    for controller in survey.inventory.controllers:
        for name in ids_of(controller):
            final = final_values(survey.inventory, name)
            for fact in facts_of(survey.outputs, name):
                assert shown_value(fact, final).startswith(final.get(fact.field, ""))


@machines
def test_every_line_of_our_own_machines_is_understood(machine: str) -> None:
    """No parser leaves a line of a recorded machine unused."""
    left = {output.command: [line.text for line in output.unparsed()] for output in replayed(machine).outputs}
    lost = [f"{command}: {line}" for command, lines in left.items() for line in lines]
    assert not lost, "\n".join(
        ["Lines that no parser used (a row of a table of fields, Draft.keep_detail, or mark_read for titles):", *lost]
    )


@machines
def test_an_unknown_status_is_reported(machine: str) -> None:
    """An unknown status is a problem if the tool printed a word. It names the object."""
    inventory = replayed(machine).inventory
    where = " ".join(problem.where + problem.message for problem in inventory.problems)
    for controller in inventory.controllers:
        for name, item in objects_of(controller):
            status, text = getattr(item, "status", None), getattr(item, "status_text", None)
            details: dict[str, str] = getattr(item, "details", {})
            printed = text or [label for label in details if label.lower() in STATES]
            assert status != "unknown" or not printed or name in where, (
                f"{name}: the status is unknown, although the tool printed {printed!r}, and no problem reports it; "
                "see vendor/statuses.py."
            )


@families
def test_a_family_has_a_recorded_machine(vendor: Vendor) -> None:
    """Each family has at least one recorded machine."""
    seen = {c.id.split(":")[0] for machine in MACHINES for c in replayed(machine).inventory.controllers}
    assert vendor.FAMILY in seen, (
        f"No machine in fixtures/ has a controller {vendor.FAMILY}:…. If there is one, "
        "`raidctl --replay fixtures/MACHINE show -v` shows why its outputs were not read."
    )


@machines
def test_an_id_begins_with_the_family(machine: str) -> None:
    """Ids begin with FAMILY and a colon: the core finds the vendor package of a controller by it."""
    known = {*(vendor.FAMILY for vendor in VENDORS), KERNEL}
    wrong = [c.id for c in replayed(machine).inventory.controllers if c.id.split(":")[0] not in known]
    assert not wrong, (
        f"Ids of no family: {wrong}. An id is FAMILY:NAME, with the name or number that the tool gives the controller."
    )


@machines
def test_a_controller_has_the_capabilities_of_its_family(machine: str) -> None:
    """A controller has each capability. For one that is missing, remedies claim that no known tool can do it."""
    for controller in replayed(machine).inventory.controllers:
        lacking = [name for name in CAPABILITIES if name not in controller.capabilities]
        assert not lacking or controller.id.split(":")[0] in {*PARTIAL, KERNEL}, (
            f"{controller.id} has no capability {', '.join(lacking)}. Give it `capabilities=SUPPORT` in to_model."
        )


@machines
def test_a_controller_names_the_tool_that_reported_it(machine: str) -> None:
    """A failed command of that tool may hide objects of the controller; md and plain drives have several tools."""
    seen = replayed(machine)
    tools = {tool.name for tool in seen.inventory.tools}
    printed = {fact.object_id for one in seen.outputs if program_of(one.command) in tools for fact in one.facts}
    lacking = [
        controller.id
        for controller in seen.inventory.controllers
        if controller.id in printed and controller.told_by not in tools
        and controller.id.split(":")[0] not in SEVERAL_TOOLS
    ]  # fmt: skip
    assert not lacking, f"Without told_by: {lacking}. `collect` sets it with `with_tool` of raidctl.vendor.controllers."


@families
def test_a_family_keeps_the_contract(vendor: Vendor) -> None:
    """A family's names, tools and capabilities are in the expected form.

    The registry and the support table expect it.
    """
    assert vendor.FAMILY.isidentifier()
    assert vendor.TITLE.strip()
    assert vendor.TOOLS
    extra = set(vendor.SUPPORT) - set(CAPABILITIES)
    assert not extra, f"SUPPORT has names that CAPABILITIES has not: {sorted(extra)}."
    lacking = [name for name in CAPABILITIES if name not in vendor.SUPPORT]
    assert not lacking or vendor.FAMILY in PARTIAL, (
        f"SUPPORT lacks: {', '.join(lacking)}. What the tool cannot read or set is "
        "Capability(read=False, set=False, why=…)."
    )
    for machine in MACHINES:
        for controller in replayed(machine).inventory.controllers:
            assert set(controller.capabilities) <= set(CAPABILITIES)


class Bare:
    """A machine that has nothing: no file, no tool. It records the commands."""

    def __init__(self) -> None:
        self.commands: list[Run] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer that each thing is missing."""
        self.commands += [request for request in requests if isinstance(request, Run)]
        return [answer_of(request, Failure.MISSING, "") for request in requests]


@families
def test_a_machine_that_has_nothing_of_a_family_is_empty(vendor: Vendor) -> None:
    """Without the tool and its hardware, nothing is run and nothing is reported."""
    bare = Bare()
    assert converse(vendor.observe(HostView()), bare) == Observation()
    assert bare.commands == []


def answers(machine: str) -> Iterator[tuple[str, str]]:
    """Command and output of every tool answered in a machine's recording."""
    kept = recording(machine)
    for request, answer in kept.answers():
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and answer.out.strip():
            yield " ".join(request.argv), decode(answer.out)


@machines
def test_a_loose_output_is_recognised_by_one_family(machine: str) -> None:
    """Every recorded output is claimed by the family of its tool. The command line is left out."""
    for command, text in answers(machine):
        owner = next((v for v in VENDORS if command.split()[0] in {tool.name for tool in v.TOOLS}), None)
        claims = {v.FAMILY: s.confidence for v in VENDORS if (s := v.sniff("output.txt", text))}
        if owner is not None and claims and len(text.splitlines()) > 3:
            seen = ", ".join(f"{family} ({confidence.name})" for family, confidence in claims.items())
            assert max(claims, key=lambda family: claims[family]) == owner.FAMILY, (
                f"`{command}` is claimed by {seen}. Of equal claims the first counts: "
                "a line or label that two tools print belongs in the signatures of neither."
            )


def broken_at(vendor: Vendor, machine: str) -> Iterator[str]:
    """Outputs that break a reader where they are cut, with the line."""
    for command, text in answers(machine):
        kind = vendor.sniff("output.txt", text)
        lines = text.splitlines(keepends=True) if kind is not None else []
        for cut in range(0, len(lines), max(1, len(lines) // 12)):
            half = "".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2]
            try:
                found = vendor.read([Document(command, kind.kind if kind else "", half)])
            except Exception as error:  # noqa: BLE001 - whatever it is, it is listed
                yield f"{machine}: {command}: line {cut}: {error!r}"
            else:
                if not all(isinstance(output, Output) for output in found.outputs):
                    yield f"{machine}: {command}: line {cut}: an item of Observation.outputs is no Output"


@machines
def test_the_outputs_of_two_machines_are_not_one_controller(machine: str) -> None:
    """Outputs with another serial number give another controller, or a problem. Machines number controllers alike."""
    for vendor in VENDORS:
        claimed = [(command, text, vendor.sniff("output.txt", text)) for command, text in answers(machine)]
        own = [Document(command, claim.kind, text) for command, text, claim in claimed if claim is not None]
        alone = vendor.read(own)
        for serial in [controller.serial for controller in alone.controllers if controller.serial]:
            other = f"{serial[:-1]}{'8' if serial.endswith('7') else '7'}"
            changed = [msgspec.structs.replace(one, text=one.text.replace(serial, other)) for one in own]
            both = vendor.read([*own, *changed])
            assert len(both.controllers) > len(alone.controllers) or any(
                problem.kind == "unread" and problem not in alone.problems for problem in both.problems
            ), f"{vendor.FAMILY}: controllers {serial} and {other} are shown as one; see vendor/mixed_machines.py."


@families
def test_half_an_output_never_breaks_a_reader(vendor: Vendor) -> None:
    """A reader returns an observation, whatever line an output is cut at. Every fact has a line."""
    broken = [place for machine in MACHINES for place in broken_at(vendor, machine)]
    assert not broken, "\n".join(
        ["read() must not raise, whatever the text is (a parser of a value may raise ValueError alone):", *broken[:9]]
    )


def recognised(vendor: Vendor, machine: str) -> Iterator[bool]:
    """Whether each output of the family's own tools is recognised. Other families read some of Linux' tools."""
    own = {name for tool in vendor.TOOLS for name in (tool.name, *tool.places)}
    for command, text in answers(machine):
        if command.split()[0] in own:
            yield vendor.sniff("output.txt", text) is not None


@families
def test_a_family_recognises_outputs_of_its_tools(vendor: Vendor) -> None:
    """A family recognises outputs of its tools.

    Otherwise pasted outputs could not be read, and no other test here would read the family's outputs.
    """
    found = [one for machine in MACHINES for one in recognised(vendor, machine)]
    assert any(found) or not found, f"sniff of {vendor.FAMILY} recognises none of its {len(found)} recorded outputs."
