"""Less common outputs of zpool, after its source (cmd/zpool/zpool_main.c): states, scans, options."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import diagnose, exit_code
from raidctl.model import Volume
from raidctl.survey.survey import Survey
from tests.support.conclusions import anything_unread, read_text

_MIRROR = (
    "\ttank  ONLINE  0  0  0\n\t  mirror-0  ONLINE  0  0  0\n\t    sda  ONLINE  0  0  0\n\t    sdb  ONLINE  0  0  0\n"
)


def _text_of(table: str = _MIRROR, *, state: str = "ONLINE", more: str = "") -> str:
    return (f"  pool: tank\n state: {state}\n{more}config:\n\n\tNAME  STATE  READ WRITE CKSUM\n{table}\n"
            "errors: No known data errors\n")  # fmt: skip


def _text(table: str = _MIRROR, *, state: str = "ONLINE", more: str = "") -> Survey:
    return read_text(_text_of(table, state=state, more=more))


def _pool(seen: Survey) -> Volume:
    [pool] = seen.inventory.controllers[0].volumes
    return pool


@pytest.mark.parametrize(
    ("line", "operation", "percent", "status"),
    [
        (("  scan: thorough scrub in progress since Sun Feb 11 11:54:20 2024\n\t1.2G / 9G scanned, 1G / 9G issued\n"
         "\t0B repaired, 11.11% done, no estimated completion time\n"), "check", 11.11, "checking"),
        ("  scan: thorough scrub canceled on Sun Feb 11 11:54:20 2024\n", None, None, "ok"),
        (" scrub: scrubbed 4 error blocks in 0 days 00:00:01 on Sun Feb 11 11:54:20 2024\n", None, None, "ok"),
        (" scrub: error scrub canceled on Sun Feb 11 11:54:20 2024\n", None, None, "ok"),
        (("expand: expansion of raidz1-0 in progress since Sun Feb 11 11:54:20 2024\n"
         "\t1.2G / 3.4G copied at 12M/s, 35.29% done, 00:03:04 to go\n"), "expand", 35.29, "expanding"),
        ("expand: expanded raidz1-0 copied 3.4G in 00:05:00, on Sun Feb 11 11:54:20 2024\n", None, None, "ok"),
        (("remove: Evacuation of mirror-1 in progress since Sun Feb 11 11:54:20 2024\n"
         "\t1.2G copied out of 3.4G at 12M/s, 35.29% done, 0h3m to go\n"), "migrate", 35.29, "migrating"),
        (("remove: Removal of vdev 1 copied 3.4G in 0h5m, completed on Sun Feb 11 11:54:20 2024\n"
         "\t2.5K memory used for removed device mappings\n"), None, None, "ok"),
        ("condense: log spacemap: condensing, 1/2 blocks done in 00:00:01\n", None, None, "ok"),
        (("  scan: scrub repaired 0B in 00:06:12 with 0 errors on Sun Mar  1 00:30:13 2026\n"
         "    scan warning: skipped blocks that are only referenced by the checkpoint.\n"), None, None, "ok"),
    ],
)  # fmt: skip
def test_work_in_progress_of_every_kind(line: str, operation: str | None, percent: float | None, status: str) -> None:
    """Each kind of scrub, expansion and removal is read. Only a running one is an operation."""
    seen = _text(more=line)
    pool = _pool(seen)
    assert pool.status == status
    assert (pool.progress and (pool.progress.operation, pool.progress.percent)) == (operation and (operation, percent))
    assert not [problem for problem in seen.inventory.problems if problem.kind == "unread"]


@pytest.mark.parametrize("first", [True, False])
def test_a_pool_that_zpool_cannot_open_is_not_missing(first: bool) -> None:
    """Its error beside good pools is reported, as the pool is in no list."""
    table = "NAME   SIZE  ALLOC   FREE  HEALTH  ALTROOT\nrpool  1.8T   900G   900G  ONLINE  -\n"
    error = "cannot open 'tank': pool I/O is currently suspended\n"
    for text in (error + table, table + error) if first else (_text_of() + error,):
        [problem] = read_text(text).inventory.problems
        assert (problem.kind, "'tank': pool I/O is currently suspended" in problem.message) == ("unread", True)


@pytest.mark.parametrize(
    ("text", "mild"),
    [
        ("Some supported and requested features are not enabled on the pool.", True),
        ("One or more features are enabled on the pool despite not being\n\trequested by the 'compatibility' property.",
         True),
        ("One or more devices have been sequentially resilvered, scrubbing\n\tthe pool is recommended.", True),
        ("Mismatch between pool hostid and system hostid on imported pool.", False),
        ("Errata #4 detected.\n\tExisting encrypted snapshots and bookmarks contain an on-disk\n\tincompatibility.",
         False),
        ("One or more failure domains are faulted. The storage devices may be\n\tintact.", False),
        ("The pool is suspended because multihost writes failed or were delayed;", False),
        ("An intent log record could not be read.", False),
    ],
)  # fmt: skip
def test_only_a_harmless_status_is_no_warning(text: str, mild: bool) -> None:
    """A status that can cost data, or an unknown one, is a warning."""
    [problem] = [one for one in _text(more=f"status: {text}\n").inventory.problems if one.kind == "state"]
    assert (problem.severity == "info") == mild


def test_names_that_are_numbers_give_no_level() -> None:
    """``zpool status -g`` prints GUIDs instead of "mirror-0": the level is unknown."""
    table = (
        "\ttank  ONLINE  0  0  0\n\t  111  ONLINE  0  0  0\n\t    222  ONLINE  0  0  0\n\t    333  ONLINE  0  0  0\n"
    )
    pool = _pool(_text(table))
    assert (pool.status, pool.raid_level, pool.failures_tolerated) == ("ok", "unknown", None)


def test_a_list_of_the_bad_devices_alone_counts_none() -> None:
    """``zpool status -e`` lists unhealthy devices only: the number of devices is unknown."""
    table = "\ttank  DEGRADED  0  0  0\n\t  raidz1-0  DEGRADED  0  0  0\n\t    sdb  FAULTED  0  0  0  too many errors\n"
    pool = _pool(_text(table, state="DEGRADED"))
    assert (pool.status, pool.drives_expected, pool.failures_tolerated) == ("degraded", None, None)


def test_vdevs_that_an_import_does_not_find_are_reported() -> None:
    """Vdevs that zpool reports as missing are a problem."""
    seen = read_text(
        "   pool: tank\n     id: 1165955789558693437\n  state: UNAVAIL\nstatus: One or more devices are missing from "
        "the system.\n action: The pool cannot be imported. Attach the missing\n\tdevices and try again.\n config:\n\n"
        "\ttank  UNAVAIL  missing device\n\t  mirror-0  ONLINE\n\t    sda  ONLINE\n\t    sdb  ONLINE\n\n"
        "\tAdditional devices are known to be part of this pool, though their\n"
        "\texact configuration cannot be determined.\n"
    )
    assert any("could not find all parts" in problem.message for problem in seen.inventory.problems)
    pool = _pool(seen)
    assert (pool.status, pool.failures_tolerated) == ("inactive", None)


def test_a_destroyed_pool_that_can_be_imported_is_inactive() -> None:
    """A pool of ``zpool import -D`` is inactive."""
    seen = read_text("   pool: tank\n     id: 11\n  state: ONLINE (DESTROYED)\n action: The pool can be imported.\n"
                     " config:\n\n\ttank  ONLINE\n\t  sda  ONLINE\n")  # fmt: skip
    assert _pool(seen).status == "inactive"
    assert not [problem for problem in seen.inventory.problems if problem.kind == "unread"]


def _json(vdevs: dict[str, Any], state: str = "ONLINE", **more: object) -> Survey:
    pool = {"name": "tank", "state": state, "vdevs": vdevs, "error_count": "0", **more}
    document = {
        "output_version": {"command": "zpool status", "vers_major": 0, "vers_minor": 1},
        "pools": {"tank": pool},
    }
    return read_text(json.dumps(document))


def _vdev(kind: str, name: str, state: str = "ONLINE", **more: object) -> dict[str, Any]:
    counts = {"read_errors": "0", "write_errors": "0", "checksum_errors": "0"}
    return {"name": name, "vdev_type": kind, "class": "normal", "state": state, **counts, **more}


def _nested(second: dict[str, Any], state: str = "ONLINE") -> dict[str, Any]:
    mirror = _vdev("mirror", "mirror-0", state, vdevs={"sda": _vdev("disk", "sda"), second["name"]: second})
    return {"tank": _vdev("root", "tank", state, vdevs={"mirror-0": mirror})}


@pytest.mark.parametrize("first", ["ONLINE", "FAULTED"])
def test_a_missing_opening_bracket_hides_no_pool(first: str) -> None:
    """Without any line that opens an object, the pools behind it are not read: it is reported."""
    pools = {
        name: {
            "name": name, "state": state, "error_count": "0",
            "vdevs": {name: _vdev("root", name, state, vdevs={"sda": _vdev("disk", "sda", state)})},
        }
        for name, state in (("tank", first), ("dump", "FAULTED"))
    }  # fmt: skip
    version = {"command": "zpool status", "vers_major": 0, "vers_minor": 1}
    lines = json.dumps({"output_version": version, "pools": pools}, indent=1).splitlines()
    opening = [number for number, line in enumerate(lines) if number and line.endswith("{")]
    whole = [
        number for number in opening if not anything_unread(read_text("\n".join(lines[:number] + lines[number + 1 :])))
    ]
    assert (len(opening), whole) == (12, [])


def test_a_vdev_without_a_description_has_no_redundancy() -> None:
    """An empty object in the place of a vdev is not a single device, and raises nothing."""
    seen = _json({"tank": _vdev("root", "tank", vdevs={"mirror-0": {}})})
    assert (_pool(seen).raid_level, _pool(seen).failures_tolerated, anything_unread(seen)) == (None, None, True)


def test_flat_json_is_the_same_tree() -> None:
    """``--json-flat-vdevs``, a list of vdevs with their parents, gives the same tree."""
    flat = {"sda": _vdev("disk", "sda", parent="mirror-0"), "sdb": _vdev("disk", "sdb", "FAULTED", parent="mirror-0"),
            "mirror-0": _vdev("mirror", "mirror-0", "DEGRADED", parent="tank"),
            "tank": _vdev("root", "tank", "DEGRADED"),
            "sdl": _vdev("disk", "sdl") | {"class": "log"}}  # fmt: skip
    pool = _pool(_json(flat, "DEGRADED"))
    nested = _pool(_json(_nested(_vdev("disk", "sdb", "FAULTED"), "DEGRADED"), "DEGRADED"))
    for one in (pool, nested):
        assert (one.status, one.raid_level, one.drives_expected, one.drives_active) == ("degraded", "raid1", 2, 1)


@pytest.mark.parametrize("word", ["CANT_OPEN", "CLOSED", "FAULTED", "REMOVED", "OFFLINE"])
def test_states_of_devices_in_json(word: str) -> None:
    """JSON has the library's constants: "CANT_OPEN" is "UNAVAIL" of the text."""
    seen = _json(_nested(_vdev("disk", "7", word, not_present="1", was="/dev/sdb1"), "DEGRADED"), "DEGRADED")
    [controller] = seen.inventory.controllers
    assert sorted(drive.status for drive in controller.drives) == ["critical", "ok"]
    assert not [problem for problem in seen.inventory.problems if problem.kind == "unread"]


def test_errors_of_a_device_in_json_are_its_problem() -> None:
    """The errors of a device are named in JSON, too, whatever the pool's status text."""
    seen = _json(_nested(_vdev("disk", "sdb", write_errors="12")), status="One or more devices has an error.")
    assert [one.message for one in seen.inventory.problems if one.where == "zfs:tank/sdb"] == ["Write errors: 12."]


def test_a_resilver_in_json_names_the_device_that_is_filled() -> None:
    """A resilver's target is the device it wrote to. A sequential one names only the vdev."""
    scan = {"function": "RESILVER", "state": "SCANNING", "to_examine": "10G", "issued": "5G"}
    pool = _pool(_json(_nested(_vdev("disk", "sdb", scan_processed="1G")), scan_stats=scan))
    assert (pool.status, pool.drives_active, pool.failures_tolerated) == ("rebuilding", 1, 0)
    assert pool.progress is not None
    assert pool.progress.percent == 50
    rebuild = {
        "rebuild_stats": {"mirror-0": {"name": "mirror-0", "state": "ACTIVE", "to_scan": "10G", "scanned": "1G"}}
    }
    pool = _pool(_json(_nested(_vdev("disk", "sdb")), scan_stats=rebuild))
    assert (pool.status, pool.drives_active, pool.failures_tolerated) == ("rebuilding", None, 0)
    move = {"state": "SCANNING", "to_reflow": "10G", "reflowed": "1G", "waiting_for_resilver": "0"}
    assert _pool(_json(_nested(_vdev("disk", "sdb")), raidz_expand_stats=move)).status == "expanding"


def test_a_table_without_its_indentation_keeps_every_device() -> None:
    """Without indentation, the devices are a stripe. With a vdev, the level is unknown, and a problem."""
    for row, level, kinds in (("", "raid0", []), ("mirror-0  ONLINE  0  0  0\n", None, ["unread"])):
        seen = _text(f"tank  ONLINE  0  0  0\n{row}sda  ONLINE  0  0  2\nsdb  ONLINE  0  0  0\n")
        assert [drive.id for drive in seen.inventory.controllers[0].drives] == ["zfs:tank/sda", "zfs:tank/sdb"]
        assert (_pool(seen).raid_level, [one.kind for one in seen.inventory.problems if one.kind == "unread"]) == (
            level,
            kinds,
        )


def test_a_table_that_a_mail_program_broke_is_read_like_the_whole_one() -> None:
    """A row is the same wherever it was broken. A drive whose remark is in the next line is not ok."""
    long = "/dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0"
    rows = ["NAME  STATE     READ WRITE CKSUM", "tank  ONLINE       0     0     0",
            "  mirror-0  ONLINE       0     0     0",
            f"    {long}AAAA-part1  ONLINE       0     0    12",
            f"    {long}BBBB-part1  ONLINE       0     0     0  (awaiting resilver)"]  # fmt: skip
    head, end = "  pool: tank\n state: ONLINE\nconfig:\n\n", "\nerrors: No known data errors\n"

    def seen(table: list[str]) -> tuple[object, ...]:
        survey = read_text(head + "".join(f"        {row}\n" for row in table) + end)
        [controller] = survey.inventory.controllers
        drives = [(one.id, one.status, one.status_text, one.errors) for one in controller.drives]
        return _pool(survey).raid_level, _pool(survey).drives_active, drives, survey.inventory.problems

    whole = seen(rows)
    assert whole[1] == 1
    for row in rows:
        for gap in re.finditer(r"(?<=\S) +(?=\S)", row):
            broken = [row[: gap.start()], row[gap.end() :]]
            assert seen([part for one in rows for part in (broken if one == row else [one])]) == whole, broken


def test_a_pool_whose_name_was_not_copied_is_unknown() -> None:
    """A text that begins below the line ``pool:`` describes one more pool than it names."""
    head = "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"
    whole = f"{head}{_MIRROR}\nerrors: No known data errors\n"
    first = whole.replace("  pool: tank\n", "").replace("state: ONLINE", "state: DEGRADED")
    assert not [one for one in read_text(whole).inventory.problems if one.kind == "unread"]
    for text in (first, first.partition("config:\n")[2], first.partition("mirror-0")[2].partition("\n")[2]):
        found = read_text(f"{text}\n{whole}").inventory.problems
        assert [("first pool" in one.message, one.kind) for one in found] == [(True, "unread")]


def test_text_below_the_errors_is_no_damaged_file() -> None:
    """Text below the list of errors is not a damaged file."""
    listed = "\n        tank/data:/export/a b\n        <metadata>:<0x0>\n"
    text = f"  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n{_MIRROR}\nerrors: "
    for errors in (
        f"Permanent errors have been detected in the following files:\n{listed}",
        "2 data errors, use '-v' for a list",
    ):
        whole, mailed = (
            _pool(read_text(f"{text}{errors}{end}")).details["errors"] for end in ("\n", "\n\nThanks,\nJoe\n")
        )
        assert mailed == whole


def test_columns_that_an_option_adds_are_no_remark() -> None:
    """The column SLOW of ``zpool status -s`` is not a remark. A remark may follow it."""
    seen = read_text(
        "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM  SLOW\n"
        "\ttank  ONLINE  0  0  0  -\n\t  mirror-0  ONLINE  0  0  0  -\n\t    sda  ONLINE  0  0  0  12\n"
        "\t    sdb  ONLINE  0  0  0  0  (resilvering)\n\nerrors: No known data errors\n"
    )
    first, second = seen.inventory.controllers[0].drives
    assert (first.status_text, first.details["SLOW"]) == ("ONLINE", "12")
    assert (second.status, second.status_text) == ("warning", "ONLINE (resilvering)")


def test_a_suspended_pool_is_no_missing_permission() -> None:
    """A suspended pool is not a missing permission. Its error list is unavailable because of suspended I/O."""
    seen = read_text(
        "  pool: usb\n state: SUSPENDED\nstatus: One or more devices are faulted in response to IO failures.\n"
        "action: Make sure the affected devices are connected, then run 'zpool clear'.\nconfig:\n\n"
        "\tNAME  STATE  READ WRITE CKSUM\n\tusb  UNAVAIL  0  0  0  insufficient replicas\n\t  sdx  REMOVED  0  0  0\n\n"
        "errors: List of errors unavailable: pool I/O is currently suspended\n"
    )
    assert _pool(seen).status == "failed"
    [problem] = [one for one in seen.inventory.problems if one.kind != "state"]
    assert (problem.kind, "zpool clear" in (problem.remedy or "")) == ("unread", True)


_SYNC = (
    "NAME             PROPERTY  VALUE     SOURCE\n"
    "tank             sync      standard  default\n"
    "tank/my db       sync      disabled  local\n"
    "tank/my db/logs  sync      disabled  inherited from tank/my db\n"
)


@pytest.mark.parametrize(
    ("table", "disabled"),
    [
        (_SYNC, ("tank/my db",)),
        (_SYNC.replace("disabled", "always"), ()),
        (_SYNC.replace("tank", "lake"), None),
        ("cannot iterate filesystems: I/O error\n" + _SYNC.replace("disabled", "always"), None),
    ],
)
def test_what_acknowledges_commits_early_is_listed(table: str, disabled: tuple[str, ...] | None) -> None:
    """``zfs get sync`` lists it by name, without what inherits it. Without rows about the pool it is unknown."""
    pools = {pool.name: pool for pool in read_text(_text_of(_MIRROR) + table).inventory.controllers[0].volumes}
    assert pools["tank"].sync_disabled == disabled


def test_a_value_of_sync_that_is_not_known_is_reported() -> None:
    """It is not taken for one that is safe."""
    table = _SYNC.replace("tank/my db       sync      disabled", "tank/my db       sync      later   ")
    problems = read_text(_text_of(_MIRROR) + table).inventory.problems
    assert [one for one in problems if one.kind == "unread"]


@pytest.mark.parametrize("row", ["tank/my db       sync      disab", "tank/my db       sync      disabled  loc"])
def test_a_row_of_sync_that_is_cut_off_is_reported(row: str) -> None:
    """The rows above do not show that nothing acknowledges commits early."""
    table = "".join(_SYNC.splitlines(keepends=True)[:2]) + row
    seen = read_text(_text_of(_MIRROR) + table)
    assert _pool(seen).sync_disabled is None
    assert " ".join(row.split()) in " ".join(one.message for one in seen.inventory.problems if one.kind == "unread")
    assert _pool(read_text(_text_of(_MIRROR) + f"{_SYNC}{row}")).sync_disabled == ("tank/my db",)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"scan_stats": {"function": "RESILVER", "state": "FINISHED", "errors": "0"}}, 0),
        ({"scan_stats": {"function": "RESILVER", "state": "FINISHED", "errors": "3"}}, 1),
        ({"scan_stats": {"function": "RESILVER", "state": "FINISHED", "errors": "many"}}, 3),
        ({"scan_stats": {"function": "MENDING", "state": "FINISHED", "errors": "0"}}, 3),
        ({"scan_stats": {"function": "NONE", "state": "NONE"}}, 0),
        ({"scan_stats": {"function": "ERRORSCRUB", "state": "FINISHED"}}, 0),
        ({"removal_stats": {"state": "STALLED"}}, 3),
        ({"removal_stats": {"state": "FINISHED"}}, 0),
        ({"raidz_expand_stats": {"state": "STALLED"}}, 3),
        ({"archive": {"sdc": {"name": "sdc", "vdev_type": "disk", "state": "FAULTED"}}}, 3),
    ],
)
def test_a_word_of_json_that_is_not_known_is_unread(more: dict[str, Any], code: int) -> None:
    """Errors of a resilver count as in the text. An unknown state or key of a list of devices is unread."""
    assert exit_code(diagnose(_json(_nested(_vdev("disk", "sdb")), **more).inventory, rules())) == code


def test_a_device_of_json_without_a_state_is_unread() -> None:
    """It is not left out: the failures that the pool survives are unknown."""
    assert exit_code(diagnose(_json(_nested(_vdev("disk", "sdb", ""))).inventory, rules())) == 3
