"""Targets that no vendor's tool reports, and what they mean."""

from __future__ import annotations

import pytest

from raidctl.errors import CannotTell, UsageError
from raidctl.verify.subjects import named
from tests.verify.checked_machines import checked_machine


@pytest.mark.parametrize("path", ["/srv", "/srv/", "/srv/db"])
def test_a_directory_lies_on_a_device(path: str) -> None:
    """The sentence names the device of the mount, not the directory twice."""
    with pytest.raises(CannotTell, match=r"/srv\S* is on /dev/sda, but no controller, array or drive below it"):
        named(checked_machine(), [path])


def test_a_device_without_a_description_exists_nevertheless() -> None:
    """What is below a loop device is unknown. The answer "no such device" would be wrong."""
    with pytest.raises(CannotTell, match="No controller, array or drive below /dev/sda is known"):
        named(checked_machine(), ["/dev/sda"])


def test_a_device_that_is_not_there_is_a_wrong_word() -> None:
    """A mistyped device below /dev does not mean the root file system."""
    with pytest.raises(UsageError):
        named(checked_machine(), ["/dev/sdz"])
