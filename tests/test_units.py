"""Figures with units."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl import units


@pytest.mark.parametrize(
    ("text", "binary", "size"),
    [
        ("512 MB", True, 512 * 1024**2),
        ("900.1 GB", False, 900_100_000_000),
        ("256 KiB", False, 262144),
        ("1.8T", False, 1_800_000_000_000),
        ("4.0 GB", True, 4 * 1024**3),
        ("0  MB", True, 0),
        ("512B", False, 512),
    ],
)
def test_a_size_has_the_meaning_that_the_caller_names(text: str, binary: bool, size: int) -> None:
    """KB, MB, GB are binary or decimal, depending on the tool. KiB is always binary."""
    assert units.parse_size(text, binary=binary) == size


@pytest.mark.parametrize(
    "text", ["", "512", "12 C (53 F)", "5/7", "GB", "1,5 GB", "1 GB free", "-1 GB", "1e3 GB", "٣ GB"]
)
def test_a_size_that_is_not_wholly_one_is_refused(text: str) -> None:
    """Nothing is stripped away until a figure is left."""
    with pytest.raises(ValueError, match="not a size"):
        units.parse_size(text, binary=True)


@pytest.mark.parametrize("text", ["9" * 400 + " MB", "9" * 300 + "B", "1" + "0" * 8 + " EiB", "8 EiB", "67 EB"])
def test_a_size_that_nothing_has_is_refused(text: str) -> None:
    """Hundreds of digits are rubbish, not a size."""
    with pytest.raises(ValueError, match="implausible size"):
        units.parse_size(text, binary=True)


@pytest.mark.parametrize("text", ["", "-1", "1.0", " 1", "٣", "1e3", str(2**63), "9" * 5000])
def test_what_is_not_a_whole_number_is_none(text: str) -> None:
    """Only ASCII digits make a number, up to the largest that the kernel counts to."""
    assert units.whole_number(text) is None
    assert (units.whole_number("007"), units.whole_number(str(2**63 - 1))) == (7, 2**63 - 1)


@given(st.integers(0, 9 * 10**18))
def test_a_printed_size_is_near_the_size(size: int) -> None:
    """A printed size is within half of its last printed digit. Both bases are tried."""
    for text, binary in ((units.format_binary(size), True), (units.format_decimal(size), False)):
        unit = units.parse_size("1 " + text.split()[1], binary=binary)
        assert abs(units.parse_size(text, binary=binary) - size) <= unit * 0.0501 + 1


@given(st.text())
def test_rubbish_raises_value_error_and_nothing_else(text: str) -> None:
    """Every parser of figures returns a figure or raises ``ValueError``. It takes any text."""
    for parse in (units.parse_percent, units.parse_celsius, units.parse_gbps, units.parse_seconds, units.parse_pcie):
        with contextlib.suppress(ValueError):
            assert parse(text) is not None
    with contextlib.suppress(ValueError):
        assert units.parse_size(text, binary=False) >= 0


def test_other_figures_with_their_units() -> None:
    """Percentages, temperatures, speeds and times as the tools print them."""
    assert units.parse_percent("95.4%") == 95.4
    assert units.parse_celsius("32 C") == 32
    assert units.parse_gbps("6.0Gbps") == 6.0
    assert units.parse_gbps("320 MT/s") == 0.32
    assert units.parse_seconds("60  min") == 3600
    assert units.parse_seconds("15 secs") == 15
    assert units.parse_seconds("1 Hours 12 Minutes") == 4320


@pytest.mark.parametrize("seconds", [45, 4800, 90000, 273600])
def test_a_time_that_raidctl_prints_is_read_back(seconds: int) -> None:
    """A time of two units, as `format_duration` prints it, is read."""
    assert units.parse_seconds(units.format_duration(seconds)) == seconds


@pytest.mark.parametrize("text", ["20 min 1 h", "5 min 5 min", "1 h 20", "1 h, , 20 min", "h 20 min"])
def test_parts_of_a_time_go_from_large_to_small(text: str) -> None:
    """Anything else is damaged, and not a time."""
    with pytest.raises(ValueError, match="duration"):
        units.parse_seconds(text)


@pytest.mark.parametrize("text", ["101%", "12", "12 %%", "x"])
def test_a_percentage_is_at_most_a_hundred(text: str) -> None:
    """Anything else is not a percentage."""
    with pytest.raises(ValueError, match="percentage"):
        units.parse_percent(text)


def test_a_pcie_link_has_lanes_and_the_speed_of_its_generation() -> None:
    """The generation gives the speed of a lane. The figure in brackets is calculated from both."""
    assert units.parse_pcie("PCIe 3.0 x8 (7880 MB/s)") == (8, 8.0)
    assert units.parse_pcie("PCIe 4.0 x16") == (16, 16.0)


@pytest.mark.parametrize("text", ["PCIe 9.0 x8", "PCIe 3.0", "PCIe 3.0 x3", "PCI-X 133 MHz", "Unknown", ""])
def test_another_bus_is_no_pcie_link(text: str) -> None:
    """An unknown generation or width is refused."""
    with pytest.raises(ValueError, match="not a PCI Express link"):
        units.parse_pcie(text)


@pytest.mark.parametrize(
    ("value", "like", "text"),
    [(-0.004, 1.23, "0.00"), (0.004, 1.23, "0.00"), (-0.4, 1.23, "-0.40"), (-1234.5, 1000.0, "-1,234")],
)
def test_nothing_has_no_sign(value: float, like: float, text: str) -> None:
    """What rounds to zero from either side is shown as zero."""
    assert units.format_figure(value, like) == text
