"""The state directory and the locks of controllers."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidctl.change.state_directory import Held, Holder, directory, hold
from raidctl.errors import AccessMissing

HOLDER = Holder(change="c1", pid=7, since="2026-03-04T05:06:07Z", about="raidctl batch")


def test_a_controller_is_locked_by_one_change_at_a_time(tmp_path: Path) -> None:
    """A second change on the controller is refused and names the first. Another controller is free."""
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        with (
            pytest.raises(Held, match="change c1: raidctl batch"),
            hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"),
        ):
            pass
        with hold(tmp_path, ["megaraid:0"], HOLDER, source="demo:p400"):
            pass
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        pass


def test_a_refusal_releases_the_locks_taken_before(tmp_path: Path) -> None:
    """If the second controller is locked, the first one's lock is released."""
    with hold(tmp_path, ["smartarray:2"], HOLDER, source="demo:p400"), pytest.raises(Held):  # noqa: SIM117 - the refusal is the inner one
        with hold(tmp_path, ["smartarray:1", "smartarray:2"], HOLDER, source="demo:p400"):
            pass
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        pass


def test_a_directory_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """A directory that others can write is refused. Restore runs the journal's commands as root."""
    place = tmp_path / "state"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(AccessMissing, match="others"):
        directory(str(place))


def test_a_directory_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    """The message contains that nothing was changed."""
    (tmp_path / "file").write_text("")
    with pytest.raises(AccessMissing, match="Nothing was changed"):
        directory(str(tmp_path / "file" / "state"))


def test_the_directory_is_the_owners_only(tmp_path: Path) -> None:
    """Group and others have no access to a new directory."""
    assert directory(str(tmp_path / "new")).stat().st_mode & 0o077 == 0
