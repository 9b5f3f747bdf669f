"""Rows of ``zpool list`` and ``zpool import`` whose form is unusual, after their source (cmd/zpool/zpool_main.c)."""

from __future__ import annotations

import pytest

from raidctl.survey.survey import Survey
from tests.support.conclusions import read_text

_HEAD = "NAME        SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"


def _row(name: str, state: str, *, size: str = "3.62T", dedup: str = "1.00x") -> str:
    return f"{name:<10}  {size:>5}  1.00T  2.62T        -         -     0%    27%  {dedup}  {state:>8}  -\n"


def _title(name: str) -> str:
    return _row(name, "-", size="-", dedup="-").replace("1.00T  2.62T", "-      -").replace("0%    27%", "-      -")


def _states(seen: Survey) -> dict[str, str]:
    [controller] = seen.inventory.controllers
    return {volume.name or "": volume.status for volume in controller.volumes}


def _unread(seen: Survey) -> list[str]:
    lines = [line.stripped for output in seen.outputs for line in output.unparsed()]
    return lines + [problem.message for problem in seen.inventory.problems if problem.kind == "unread"]


@pytest.mark.parametrize(
    "text",
    [
        _HEAD + _row("my tank", "DEGRADED") + _row("home", "ONLINE"),
        "NAME     HEALTH    SIZE\nmy tank  DEGRADED  3.62T\nhome     ONLINE    3.62T\n",
        "NAME     HEALTH\nmy tank  DEGRADED\nhome     ONLINE\n",
    ],
)
def test_a_pool_whose_name_has_blanks_is_listed(text: str) -> None:
    """Each pool has its own state, with the columns that ``-o`` asks for, too."""
    seen = read_text(text)
    assert _states(seen) == {"my tank": "degraded", "home": "ok"}
    assert [message for message in _unread(seen) if "uncertain" not in message] == []


def test_an_unknown_state_behind_a_name_with_blanks_is_not_passed_over() -> None:
    """The pool is there, and its state is unknown."""
    assert _states(read_text(_HEAD + _row("my tank", "STALLED"))) == {"my tank": "unknown"}
    [output] = read_text("NAME     HEALTH\nhome     ONLINE\nmy tank  STALLED\n").outputs
    assert output.cut_off


def test_the_devices_of_a_pool_whose_name_has_blanks_are_below_it() -> None:
    """A row with the name of the pool is the pool's own."""
    rows = "".join(f"\t{name}  ONLINE  0  0  0\n" for name in ("my tank", "  mirror-0", "    sda", "    sdb"))
    seen = read_text(
        f"  pool: my tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n{rows}\n"
        "errors: No known data errors\n"
    )
    [pool] = seen.inventory.controllers[0].volumes
    assert (pool.raid_level, pool.failures_tolerated, _unread(seen)) == ("raid1", 1, [])


def test_the_list_of_devices_calls_the_title_of_spares_spare() -> None:
    """The title ends the vdevs above it. A spare is neither a member of the log nor a vdev."""
    mirror = "".join(_row(name, "ONLINE", dedup="-") for name in ("  mirror-0", "    sda", "    sdb"))
    log = _title("logs") + _row("  sdc", "ONLINE", dedup="-")
    seen = read_text(
        _HEAD + _row("tank", "ONLINE") + mirror + log + _title("spare") + _row("  sdd", "AVAIL", dedup="-")
    )
    [controller] = seen.inventory.controllers
    assert {drive.id.rpartition("/")[2]: drive.role for drive in controller.drives} == {
        "sda": "member", "sdb": "member", "sdc": "journal", "sdd": "spare",
    }  # fmt: skip
    assert (controller.volumes[0].failures_tolerated, _unread(seen)) == (1, [])


def test_caches_and_spares_of_an_import_have_no_state() -> None:
    """They are no lines that were not understood. A device of the data without a state is one."""
    text = (
        "   pool: tank\n     id: 1\n  state: ONLINE\n action: The pool can be imported.\n config:\n\n"
        "\ttank        ONLINE\n\t  mirror-0  ONLINE\n\t    sda     ONLINE\n\t    sdb     ONLINE\n"
        "\tcache\n\t  sdc\n\t  sdd\n\tspares\n\t  sde\n"
    )
    assert _unread(read_text(text)) == []
    assert _unread(read_text(text.replace("sdb     ONLINE", "sdb")))


def test_an_imported_pool_may_have_an_id() -> None:
    """Solaris prints it. Only ``zpool status`` has ``scan:`` or ``errors:``."""
    rows = "".join(f"\t{name}  ONLINE  0  0  0\n" for name in ("tank", "  mirror-0", "    sda", "    sdb"))
    head = "  pool: tank\n    id: 1\n state: ONLINE\n  scan: none requested\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n"
    assert _states(read_text(f"{head}{rows}\nerrors: No known data errors\n")) == {"tank": "ok"}


def test_a_pool_that_is_called_healthy_is_an_output_of_zpool() -> None:
    """``zpool status -x tank`` prints this sentence alone."""
    assert [problem.message for problem in read_text("pool 'tank' is healthy\n").inventory.problems] == [
        "It is read as the output of `zpool status`, which is uncertain."
    ]
