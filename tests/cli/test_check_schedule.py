"""``raidctl check schedule set``: timers on a simulated machine, cron jobs in files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec import Struct

from raidctl.cli import cli
from raidctl.cli.check.schedule.set import _desired
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.plan_change import work_on
from raidctl.errors import CannotTell, ChangeUndone
from raidctl.request import (
    Answer,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Which,
    WhichAnswer,
)
from raidctl.runners.answers import answer_of
from raidctl.simulation.demo import machine
from raidctl.vendor.checks import schedule_families
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.registry import vendors
from raidctl_md.schedule_steps import calendars_of, cron_times, drop_in
from raidctl_md.schedules import SHOW
from tests.support.machines import FIXTURES

Raid = Callable[..., Result]
START = "mdcheck_start.timer"
TIMES = "Sat *-*-01..07 02:30:00"
CRON, DEFAULT = "/etc/cron.d/mdadm", "/etc/default/mdadm"
LINE = "57 0 * * 0 root if [ -x /usr/share/mdadm/checkarray ] && [ $(date +\\%d) -le 7 ]; then checkarray; fi\n"


def test_a_schedule_that_may_be_off_is_not_a_success() -> None:
    """If it is unknown whether a schedule is on, the exit code is 3, as the manual promises for what is not read."""
    words = ["--replay", str(FIXTURES / "md-healthy"), "check", "schedule", "show"]
    done = CliRunner().invoke(cli, words)
    assert ("on or off: unknown" in done.stdout, done.exit_code) == (True, 3)


@pytest.fixture
def raid(tmp_path: Path) -> Raid:
    """Run ``raidctl --demo raid6 check schedule …``."""

    def run(*words: str) -> Result:
        where = ["--state-dir", str(tmp_path), "--demo", "raid6", "check", "schedule"]
        return CliRunner().invoke(cli, [*where, *words])

    return run


def shown(raid: Raid) -> dict[str, Any]:
    """The first timer as it is shown."""
    found: dict[str, Any] = json.loads(raid("show", "--json").stdout)["schedules"][0]
    return found


def test_a_timer_is_switched_and_its_times_are_set_and_given_back(raid: Raid) -> None:
    """The timer is switched off and on again.

    Times are set in a drop-in, which is removed for the distribution's times.
    """
    before = shown(raid)
    assert raid("set", START, "--off", "--yes").exit_code == 0
    assert shown(raid)["enabled"] is False
    assert raid("set", START, "--on", "--times", TIMES, "--yes").exit_code == 0
    assert (shown(raid)["enabled"], shown(raid)["calendar"]) == (True, TIMES)
    assert raid("set", START, "--times", "distribution", "--yes").exit_code == 0
    assert shown(raid) == before


def test_a_setting_that_has_the_value_already_is_not_set_again(raid: Raid) -> None:
    """A setting that already has the value needs no command."""
    done = raid("set", START, "--on", "--yes", "--json")
    assert (done.exit_code, json.loads(done.stdout)["result"]) == (0, "already")
    assert json.loads(raid("set", START, "--times", "distribution", "--yes", "--json").stdout)["result"] == "already"


@pytest.mark.parametrize(
    "words",
    [
        ("set",), ("set", "--on", "--yes"), ("set", "nosuch.timer", "--on", "--yes"), ("set", START, "--off"),
        ("set", START, "--times", "now and then", "--yes"), ("set", START, "--times", "", "--yes"),
    ],
)  # fmt: skip
def test_wrong_words_change_nothing(raid: Raid, words: tuple[str, ...]) -> None:
    """Wrong words change nothing. Examples are an unknown timer, no terminal without --yes, and invalid times."""
    before = shown(raid)
    done = raid(*words)
    assert done.exit_code == 2, done.output
    assert shown(raid) == before


def test_a_dry_run_names_every_command_and_its_undoing(raid: Raid) -> None:
    """The commands are printed, and nothing is changed."""
    before = shown(raid)
    done = raid("set", START, "--times", TIMES, "--dry-run")
    assert done.exit_code == 0
    assert "undo: rm -- /etc/systemd/system/mdcheck_start.timer.d/raidctl.conf" in done.stdout
    assert shown(raid) == before


class Failing(Struct):
    """A machine whose changing command of this number fails. Those after it do not."""

    inner: Any
    left: int

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Run) and request.changes:
            self.left -= 1
            if self.left == 0:
                return RunAnswer(code=1, err=b"refused")
        answer: Answer = self.inner.answer(request)
        return answer


def wanted(setting: Setting, value: str, name: str = START) -> list[Desired]:
    """A desired setting of a schedule."""
    return [Desired(object_id=f"schedule:{name}", setting=setting, value=value)]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_step_that_fails_undoes_everything(tmp_path: Path, number: int) -> None:
    """Any step that fails undoes everything.

    Afterwards systemd has read its unit files again, so the times are those from before.
    """
    found = vendors()[0]
    runner = Failing(machine("raid6", found, tmp_path), number)
    families = schedule_families(found)
    named = Machine(runner, [*found, *families], "demo:raid6")
    before = [one for one in named.survey().inventory.controllers if one.id == "schedule"]
    work = work_on(named, tmp_path, lambda _: wanted("schedule_times", TIMES))
    assert len(work.plan.steps) == 3
    with pytest.raises(ChangeUndone):
        work.change(work.begin("set", "test")).apply()
    assert [one for one in named.survey().inventory.controllers if one.id == "schedule"] == before


class Silent(Failing):
    """A machine whose systemd does not answer."""

    def _answer(self, request: Request[Any]) -> Answer:
        if request == SHOW:
            return RunAnswer(code=1, err=b"Failed to connect to bus: Connection timed out")
        answer: Answer = self.inner.answer(request)
        return answer


@pytest.mark.parametrize("names", [(START,), ()])
def test_a_schedule_that_may_be_there_is_not_called_absent(tmp_path: Path, names: tuple[str, ...]) -> None:
    """If systemctl does not answer, whether a named or the only schedule is there is unknown."""
    found = vendors()[0]
    named = Machine(Silent(machine("raid6", found, tmp_path), 0), [*found, *schedule_families(found)], "demo:raid6")
    with pytest.raises(CannotTell, match="Connection timed out"):
        _desired(named.survey(), found, names, on=False, times=None)


class Files(Struct):
    """A machine without systemd that has these files; ``tee`` writes them."""

    files: dict[str, str]

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request[Any]) -> Answer:
        if isinstance(request, Read) and request.path in self.files:
            return ReadAnswer(data=self.files[request.path].encode())
        if isinstance(request, Glob):
            return GlobAnswer(tuple(path for path in self.files if fnmatch(path, request.pattern)))
        if isinstance(request, Run) and request.argv[:2] == ("tee", "--"):
            self.files[request.argv[2]] = request.feed.decode()
            return RunAnswer(code=0)
        if isinstance(request, Which):
            return WhichAnswer(trouble=Failure.MISSING)
        return answer_of(request, Failure.MISSING, "missing")


def cron(tmp_path: Path, files: dict[str, str], *desired: Desired) -> str:
    """Change a cron job; the reasons of refusals."""
    found = vendors()[0]
    named = Machine(Files(files), schedule_families(found), "local")
    work = work_on(named, tmp_path, lambda _: desired)
    if work.plan.steps and not work.plan.refusals:
        change = work.change(work.begin("set", "test"))
        change.apply()
        change.finish()
    return " ".join(refusal.reason for refusal in work.plan.refusals)


JOB = "cron.d!mdadm"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("# x\nAUTOCHECK=true # why\nVERBOSE=false\n", "# x\nAUTOCHECK=false # why\nVERBOSE=false\n"),
        ('AUTOCHECK=false\nAUTOCHECK="true"\n', "AUTOCHECK=false\nAUTOCHECK=false\n"),
    ],
)
def test_a_cron_job_is_switched_by_its_variable(tmp_path: Path, text: str, after: str) -> None:
    """The last line of it counts; everything else in the file stays. Switched on, it reads on."""
    files = {CRON: LINE, DEFAULT: text}
    cron(tmp_path, files, *wanted("schedule_enabled", "disabled", JOB))
    assert files[DEFAULT] == after
    cron(tmp_path, files, *wanted("schedule_enabled", "enabled", JOB))
    assert files[DEFAULT].count("AUTOCHECK=true") == 1


def test_a_variable_that_is_not_set_is_added(tmp_path: Path) -> None:
    """The line is added even without a line end before it. The last line has none."""
    files = {CRON: LINE, DEFAULT: "VERBOSE=false"}
    cron(tmp_path, files, *wanted("schedule_enabled", "enabled", JOB))
    assert files[DEFAULT] == "VERBOSE=false\nAUTOCHECK=true\n"


def test_the_times_of_a_cron_job_are_its_five_fields(tmp_path: Path) -> None:
    """The condition of the job stays, and so does a comment above it that contains the same line."""
    files = {CRON: f"# comment\n#{LINE}{LINE}", DEFAULT: "AUTOCHECK=true\n"}
    cron(tmp_path, files, *wanted("schedule_times", "5 3 * * 6", JOB))
    assert files[CRON] == f"# comment\n#{LINE}{LINE.replace('57 0 * * 0', '5 3 * * 6')}"


def test_a_file_that_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    """Without the switch file there is nothing to restore."""
    files = {CRON: LINE}
    assert "cannot be read" in cron(tmp_path, files, *wanted("schedule_enabled", "enabled", JOB))
    assert files == {CRON: LINE}


@pytest.mark.parametrize("text", ["", "* * * *", "60 * * * *", "* 24 * * *", "*/0 * * * *", "5-1 * * * *", "a b c d e",
                                  "@daily", "* * * * * root rm"])  # fmt: skip
def test_what_is_no_time_of_cron_is_refused(text: str) -> None:
    """Too few or many fields, numbers out of range, words."""
    assert cron_times(text) is None


@pytest.mark.parametrize("text", ["57 0 * * 0", "*/15  1-5 1,15 * 7", "0 0 1 1 *"])
def test_times_of_cron_are_accepted(text: str) -> None:
    """Valid times are accepted, with runs of blanks reduced to one."""
    assert cron_times(text) == " ".join(text.split())


def test_only_a_drop_in_of_raidctl_is_taken_for_one() -> None:
    """One that somebody has edited is left alone."""
    text = drop_in(["Sun *-*-01..07 01:00:00", "Mon *-*-* 02:00:00"])
    assert calendars_of(text) == ["Sun *-*-01..07 01:00:00", "Mon *-*-* 02:00:00"]
    assert calendars_of(f"{text}Persistent=true\n") == []
    assert calendars_of("[Timer]\nOnCalendar=daily\n") == []
