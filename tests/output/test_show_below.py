"""One drive or controller on the screen, with a software array on it."""

from __future__ import annotations

import json

import pytest

from tests.support.command_line import command_line
from tests.support.machines import FIXTURES

_MACHINE = command_line("--replay", FIXTURES / "md-degraded-rebuilding")


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("/dev/sda", {"md:md5"}),
        ("/dev/sdb", {"md:md5"}),
        ("/dev/sdd", {"md:md10"}),
        ("drives:0000:00:1f.2", {"md:md5", "md:md10"}),
        ("md:md5", {"md:md5"}),
        ("md:md10", {"md:md10"}),
    ],
)
def test_a_drive_is_shown_with_the_problems_of_the_arrays_on_it(name: str, arrays: set[str]) -> None:
    """A drive or a controller is shown with the degraded software arrays on it, an array with no other one."""
    top = _MACHINE("show", name).output.partition("\n\n")[0]
    assert {one for one in ("md:md5", "md:md10") if f"{one}: " in top} == arrays


@pytest.mark.parametrize(("name", "rules"), [("/dev/sdb", {"drive_failed"}), ("/dev/sda", set())])
def test_a_drive_is_diagnosed_with_its_members(name: str, rules: set[str]) -> None:
    """The diagnosis of a drive reports that a software array has removed it as faulty, whatever the drive reports."""
    found = json.loads(_MACHINE("diagnose", name, "--json").output)["findings"]
    assert {one["rule"] for one in found if one["where"].startswith("md:")} == rules
