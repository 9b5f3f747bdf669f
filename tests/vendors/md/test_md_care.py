"""Configuration entries, monitor and checks of arrays."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest

import raidctl_md as md
from raidctl.host import HostView
from raidctl.model import Controller, RaidLevel, Scrub, Volume
from raidctl.request import Answer, Failure, Glob, GlobAnswer, Read, Request, RunAnswer, converse
from raidctl.vendor.protocol import Observation
from raidctl_md import conf
from raidctl_md.monitoring import Monitoring, applied
from tests.vendors.md.md_outputs import DETAIL, Machine, lines_of

MDSTAT = (
    "Personalities : [raid6]\nmd7 : active raid6 sdd1[3] sdc1[2] sdb1[1] sda1[0]\n"
    "      20953088 blocks super 1.2 [4/4] [UUUU]\n"
)
UUID = "0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9"
CONFIG, SYSTEMD = "/etc/mdadm/mdadm.conf", "/run/systemd/system"
MONITOR = "/sys/fs/cgroup/system.slice/mdmonitor.service"
TIMER = "/etc/systemd/system/mdmonitor.service.wants/mdcheck_start.timer"
CHECKED, PAUSED = f"/var/lib/mdcheck/Checked_{UUID}", f"/var/lib/mdcheck/MD_UUID_{UUID}"


def test_an_indented_comment_ends_no_entry_of_mdadm_conf() -> None:
    """A line that begins with a blank continues an entry, also below a comment or a line of blanks."""
    text = f"ARRAY /dev/md/data\n  # name=web:data\n  \n  UUID={UUID}\nMAILADDR root\n"
    assert conf.lists(text, UUID)
    assert conf.without(text, UUID) == "  # name=web:data\n  \nMAILADDR root\n"


class Host(Machine):
    """A machine with shell patterns; ``lost`` requests time out."""

    def __init__(self, *there: str, config: str | Failure = Failure.MISSING, lost: str = "") -> None:
        detail = RunAnswer(code=0, out=DETAIL.encode())
        stat = RunAnswer(code=0, out=f"1772352000 {CHECKED}\n".encode())
        files: dict[str, str | Failure] = {"/proc/mdstat": MDSTAT, CONFIG: config, **dict.fromkeys(there, "")}
        super().__init__(files, {"mdadm --detail /dev/md7": detail, f"stat --format=%Y %n {CHECKED}": stat})
        self.lost = lost

    def answer(self, request: Request[Any]) -> Answer:
        """The machine's reply, except for lost requests."""
        name = request.pattern if isinstance(request, Glob) else request.path if isinstance(request, Read) else ""
        if isinstance(request, Glob) and self.lost and fnmatch(self.lost, name):
            return GlobAnswer(paths=(), trouble=Failure.TIMEOUT)
        if isinstance(request, Glob):
            return GlobAnswer(paths=tuple(path for path in self.files if path != CONFIG and fnmatch(path, name)))
        return super().answer(request)

    def controller(self) -> Controller:
        """The controller ``md``."""
        [controller] = converse(md.observe(HostView(root=True)), self).controllers
        return controller


@pytest.mark.parametrize(
    ("config", "listed"),
    [
        (f"ARRAY /dev/md/seven metadata=1.2 UUID={UUID}\n", True),
        (f"ARRAY /dev/md/x\n  metadata=1.2\n  uuid={UUID.upper()}\n", True),
        (f"ARRAY /dev/md/x UUID={UUID.replace(':', '')}\n", True),
        ("ARRAY /dev/md7\n", True),
        ("ARRAY /dev/md/seven name=plum:seven\n", True),
        (f"# ARRAY /dev/md7 UUID={UUID}\nMAILADDR root\n", False),
        (f"DEVICE /dev/md7 UUID={UUID}\n", False),
        ("", False),
        (Failure.MISSING, False),
        (Failure.DENIED, None),
        (Failure.TIMEOUT, None),
        (Failure.UNRECORDED, None),
    ],
)
def test_an_array_is_listed_under_any_of_its_names(config: str | Failure, listed: bool | None) -> None:
    """UUID, device and name count, also over several lines. An unreadable file leaves the listing unknown."""
    assert Host(config=config).controller().volumes[0].in_config_file is listed


@pytest.mark.parametrize(
    ("there", "lost", "monitored", "mode"),
    [
        ((SYSTEMD, MONITOR, TIMER), "", True, "automatic"),
        ((SYSTEMD,), "", False, "disabled"),
        (
            (SYSTEMD, "/run/mdadm/monitor.pid", "/lib/systemd/system/x.wants/raid-check.timer"),
            "",
            True,
            "automatic",
        ),
        ((SYSTEMD, "/run/mdadm/mdadm.pid"), "", True, "disabled"),
        # mdmon of an Intel container
        ((SYSTEMD, "/run/mdadm/md127.pid"), "", False, "disabled"),
        ((), "", None, None),
        ((MONITOR, TIMER), "", True, "automatic"),
        ((SYSTEMD,), MONITOR, None, "disabled"),
        ((SYSTEMD,), TIMER, False, None),
    ],
)
def test_off_needs_systemd_and_complete_replies(
    there: tuple[str, ...], lost: str, monitored: bool | None, mode: str | None
) -> None:
    """Only systemd and a reply to each request prove "off". One unit, timer or job proves "on"."""
    controller = Host(*there, lost=lost).controller()
    assert controller.monitored is monitored
    assert (controller.consistency_check.mode if controller.consistency_check else None) == mode


@pytest.mark.parametrize(
    ("job", "switch", "text", "mode"),
    [
        ("cron.d/mdadm", "default/mdadm", "AUTOCHECK=true\n", "automatic"),
        ("cron.d/mdadm", "default/mdadm", "AUTOCHECK=false\n", "disabled"),
        ("cron.d/mdadm", "default/mdadm", Failure.MISSING, "disabled"),
        ("cron.d/mdadm", "default/mdadm", Failure.UNRECORDED, None),
        ("cron.weekly/raid-check", "sysconfig/raid-check", "ENABLED=yes\n", "automatic"),
        ("cron.d/raid-check", "sysconfig/raid-check", "ENABLED=no\n", "disabled"),
    ],
)
def test_a_cron_job_that_is_switched_off_checks_nothing(
    job: str, switch: str, text: str | Failure, mode: str | None
) -> None:
    """A cron job is an automatic check only if the distribution's file switches it on."""
    host = Host(SYSTEMD, f"/etc/{job}")
    host.files[f"/etc/{switch}"] = text
    check = host.controller().consistency_check
    assert (check.mode if check else None) == mode
    host.files[TIMER] = ""
    check = host.controller().consistency_check
    assert check is not None
    assert check.mode == "automatic"


@pytest.mark.parametrize(
    ("there", "last"),
    [
        ((CHECKED,), ("2026-03-01T08:00:00+00:00", "ok")),
        ((CHECKED, PAUSED), ("2026-03-01T08:00:00+00:00", "unfinished")),
        ((PAUSED,), (None, "unfinished")),
        ((), None),
        (("/var/lib/mdcheck/Checked_ffffffff:0:0:0",), None),
    ],
)
def test_a_check_ended_when_its_mark_was_made(there: tuple[str, ...], last: tuple[str | None, str] | None) -> None:
    """Each array has a separate mark. A saved position means an unfinished check."""
    host = Host(*there)
    sysfs = {"sync_action": "idle", "last_sync_action": "check", "mismatch_cnt": "0"}
    host.files |= {f"/sys/block/md7/md/{name}": f"{text}\n" for name, text in sysfs.items()}
    scrub = host.controller().volumes[0].consistency_check
    assert (None if scrub is None else (scrub.last_at, scrub.last_result)) == last


@pytest.mark.parametrize(
    ("level", "count", "action", "last", "result"),
    [
        ("raid6", 8, "idle", "check", "failed"),
        ("raid6", 0, "idle", "check", "ok"),
        ("raid1", 8, "idle", "check", "ok"),
        ("raid4", 8, "idle", "check", "failed"),
        ("raid6", 8, None, None, "failed"),  # a kernel without last_sync_action
        ("raid6", 0, None, None, None),
        ("raid6", 0, "idle", "none", None),  # the array was started after the check
        ("raid6", 8, "idle", "recover", None),  # the count is that of a rebuild
        ("raid6", 0, "check", "check", None),  # the next check has begun
        ("raid6", None, "idle", "check", None),
    ],
)
def test_the_result_of_a_check_is_that_of_its_count(
    level: RaidLevel, count: int | None, action: str | None, last: str | None, result: str | None
) -> None:
    """Sectors that differ are an error of parity levels; copies of a mirror that is in use may differ.

    A check has no result if the kernel's count is of something else, or was lost when the array was started.
    """
    details = {name: word for name, word in (("sync_action", action), ("last_sync_action", last)) if word}
    volume = Volume(id="md:md7", unique_id=UUID, raid_level=level, mismatch_count=count, details=details)
    known = Monitoring(last={UUID: Scrub(last_at="2026-03-01T08:00:00+00:00", last_result="ok")})
    found = Observation(controllers=(Controller(id="md", volumes=(volume,)),))
    (judged,) = applied(found, known).controllers[0].volumes
    assert judged.consistency_check is not None
    assert judged.consistency_check.last_at is not None
    assert judged.consistency_check.last_result == result


@pytest.mark.parametrize(
    ("place", "action", "last", "marked", "result"),
    [
        ("4096", "idle", "check", True, "unfinished"), ("4096", "idle", "check", False, "unfinished"),
        ("4096", "idle", "repair", True, "unfinished"), ("0", "idle", "check", True, "ok"),
        ("4096", "check", "check", True, None), ("4096", "idle", "recover", True, None),
        ("max", "idle", "check", True, "ok"),
    ],
)  # fmt: skip
def test_a_check_that_was_stopped_is_unfinished(
    place: str, action: str, last: str, marked: bool, result: str | None
) -> None:
    """The kernel keeps where the next check begins: a mark of the distribution does not make the last one complete."""
    details = {"sync_min": place, "sync_action": action, "last_sync_action": last}
    volume = Volume(id="md:md7", unique_id=UUID, raid_level="raid6", mismatch_count=0, details=details)
    done = Scrub(last_at="2026-03-01T08:00:00+00:00", last_result="ok")
    found = Observation(controllers=(Controller(id="md", volumes=(volume,)),))
    (judged,) = applied(found, Monitoring(last={UUID: done} if marked else {})).controllers[0].volumes
    assert (judged.consistency_check.last_result if judged.consistency_check else None) == result


def test_what_is_known_names_its_line() -> None:
    """``show --explain`` shows the ARRAY line and the unit."""
    line = f"ARRAY /dev/md/seven UUID={UUID}"
    found = converse(md.observe(HostView(root=True)), Host(SYSTEMD, MONITOR, config=f"HOMEHOST x\n{line}\n"))
    assert lines_of(found, "md:md7", "in_config_file") == [line]
    assert lines_of(found, "md", "monitored") == [MONITOR]


def test_a_spare_group_belongs_to_the_array_of_its_entry() -> None:
    """`spare-group=` belongs to its entry's array, also on a continued line."""
    for config in (
        f"ARRAY /dev/md7 UUID={UUID} spare-group=Main\n",
        f"ARRAY /dev/md7 UUID={UUID}\n   spare-group=Main\n",
        f"ARRAY /dev/md1 UUID=1:2:3:4 spare-group=other\nARRAY /dev/md/x UUID={UUID} spare-group=Main\n",
    ):
        assert Host(config=config).controller().arrays[0].details.get("spare-group") == "Main", config
    other = f"ARRAY /dev/md1 spare-group=other\nARRAY /dev/md7 UUID={UUID}\n"
    assert "spare-group" not in Host(config=other).controller().arrays[0].details
