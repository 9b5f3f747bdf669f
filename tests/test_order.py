"""The order in which people and kernels count."""

from __future__ import annotations

from raidctl.order import by_kernel_name, natural


def test_the_27th_disk_stands_after_the_26th() -> None:
    """After sdz comes sdaa, not between sda and sdb; partitions stand by their disk."""
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


def test_thousands_of_digits_have_a_place_too() -> None:
    """Python makes no number out of them; a text from hardware may hold them all the same."""
    assert max(["b", f"a{'9' * 5000}", "a10"], key=natural) == "b"
