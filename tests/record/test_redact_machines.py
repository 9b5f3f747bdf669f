"""A masked machine reads like the machine it was."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from raidctl.model import Controller
from raidctl.recording.redact import redact, serials
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import Survey, survey
from raidctl.vendor.registry import vendors
from tests.support.machines import MACHINES, recording, replayed

FORMS = tuple(
    re.compile(form)
    for form in (
        # world wide names: of a port or controller, in two halves, of a volume
        r"(?i)(?<![0-9a-z])5[0-9a-f]{15}(?![0-9a-z])",
        r"(?i)(?<![0-9a-z:])5[0-9a-f]{7}:[0-9a-f]{8}(?![0-9a-z:])",
        r"(?i)(?<![0-9a-z])6[0-9a-f]{31}(?![0-9a-z])",
        # names of LVM, md, and any other; those of a partition's type are the same on every machine
        r"(?<![A-Za-z0-9-])[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{4}){5}-[A-Za-z0-9]{6}(?![A-Za-z0-9-])",
        r"(?i)(?<![0-9a-z:])[0-9a-f]{8}(?::[0-9a-f]{8}){3}(?![0-9a-z:])",
        r"(?i)(?<![0-9a-z])(?<!TYPE=)(?!0{8}-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])",
        r"(?i)nqn\.\d{4}-\d\d\.(?!org\.nvmexpress\.discovery)[^\s\"']+",
        r"(?i)\w*serial ?(?:no|number)\"\s*,\s*\"Value\"\s*:\s*\"[^\"]*[1-9a-f][^\"]*\"",
    )
)
"""Generic forms of unique names, whatever their label."""


def outline(seen: Survey) -> list[object]:
    """Places, models and states are not secret."""

    def of(controller: Controller) -> Iterator[object]:
        yield controller.model, controller.firmware, controller.status, controller.mode, controller.cache
        for volume in controller.volumes:
            yield (
                volume.raid_level,
                volume.size_bytes,
                volume.status,
                volume.device,
                len(volume.mountpoints),
                volume.cache,
            )
        for drive in controller.drives:
            yield drive.model, drive.firmware, drive.size_bytes, drive.status, drive.device, drive.bay, drive.role
            yield drive.serial is None, drive.wwn is None, drive.errors
        yield [(len(array.drives), len(array.spares)) for array in controller.arrays]

    problems = sorted((problem.kind, problem.severity) for problem in seen.inventory.problems)
    unparsed = sum(len(output.unparsed()) for output in seen.outputs)
    facts = sorted(repr(list(of(controller))) for controller in seen.inventory.controllers)
    return [facts, problems, unparsed]


@pytest.mark.parametrize("machine", MACHINES)
def test_masking_changes_nothing_but_secrets(machine: str) -> None:
    """Masking changes no model, size, state, device link or problem. No serial number or WWN is the same."""
    before = replayed(machine)
    masked = redact(recording(machine), b"salt", known=serials(before.inventory))
    after = survey(ReplayRunner(masked), vendors()[0])
    assert outline(after) == outline(before)
    masked_text = b"\n".join(masked.files.values()).decode("latin-1").lower() + repr(masked.manifest).lower()
    drives = [drive for controller in before.inventory.controllers for drive in controller.drives]
    names = {name for drive in drives for name in (drive.serial, drive.wwn) if name and len(name) > 5}
    assert [name for name in names if name.lower() in masked_text] == []
    whole = b"\n".join(recording(machine).files.values()).decode("latin-1") + repr(recording(machine).manifest)
    alike = {match[0].lower() for form in FORMS for match in form.finditer(whole)}
    assert sorted(name for name in alike if name in masked_text) == []
