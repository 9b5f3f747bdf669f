"""The order in which people and kernels count."""

from __future__ import annotations

from raidctl.order import by_kernel_name, natural


def test_the_27th_drive_comes_after_the_26th() -> None:
    """The drive sdaa comes after sdz, not between sda and sdb. Partitions follow their drive."""
    wanted = [
        "dm-0",
        "nvme0n1",
        "nvme0n2",
        "nvme10n1",
        "sda",
        "sda1",
        "sda10",
        "sdb",
        "sdz",
        "sdaa",
        "sdaa1",
        "sdba",
        "vda",
    ]
    assert sorted(sorted(wanted), key=by_kernel_name) == wanted


def test_thousands_of_digits_are_ordered_too() -> None:
    """Python converts no such number, but hardware may print one."""
    assert max(["b", f"a{'9' * 5000}", "a10"], key=natural) == "b"
