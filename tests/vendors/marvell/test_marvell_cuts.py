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


_VOLUME = """id:                  0
name:                test
status:              {}
Stripe size:         64
RAID mode:           RAID1
size:                122040 M
# of PDs:            2
PD RAID setup:       0 1

Total # of VD:       1
"""


@pytest.mark.parametrize(
    ("word", "status"),
    [("functional", "ok"), ("optimal", "ok"), ("degraded", "degraded"), ("partially optimal", "degraded"),
     ("offline", "offline"), ("functional, but one drive is gone", "unknown"), ("suboptimal", "unknown"),
     ("deleted", "unknown")],
)  # fmt: skip
def test_a_good_word_counts_alone(word: str, status: str) -> None:
    """A state that only begins like a good one, or that is not known, is no good one."""
    seen = read_text(_VOLUME.format(word))
    assert seen.inventory.controllers[0].volumes[0].status == status
    assert any(one.kind == "unread" for one in seen.inventory.problems) == (status == "unknown")
