"""Outputs of mvcli that end too early."""

from __future__ import annotations

import pytest

from tests.support.conclusions import read_text

_CONTROLLER = """Adapter ID:                          0
Product:                             1b4b-9230
Supported RAID mode:                 RAID0 RAID1
Max total blocks:                    128
Features:                            rebuild,synchronize
Advanced features:                   event sense code,multi VD,image health,timer
Max buffer size:                     3
Image health:                        Healthy
HBA info image health:               Error
"""


@pytest.mark.parametrize(("line", "missing"), [("Features", "Features"), ("HBA info", "HBA info image health")])
def test_a_description_of_a_controller_without_its_end_is_reported(line: str, missing: str) -> None:
    """The states of the firmware's images come last, where the features announce them."""
    assert [output.cut_off for output in read_text(_CONTROLLER).outputs] == [None]
    cut = _CONTROLLER[: _CONTROLLER.index(f"\n{line}") + 1]
    assert [output.cut_off for output in read_text(cut).outputs] == [f"the line `{missing}` is missing"]
