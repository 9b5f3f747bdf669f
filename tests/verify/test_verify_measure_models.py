"""Claims measured on models of known truth."""

from __future__ import annotations

import msgspec
import pytest

from raidctl.bench.result import Confounder, Session
from raidctl.bench.trials.policy_switch import State
from raidctl.bench.trials.trial import MIB
from raidctl.model import Battery, Host, VolumeCache
from raidctl.verify.measured import joined, unknown_target
from raidctl.verify.report import Answer, Verification, overall
from raidctl.verify.wanted import claims
from tests.verify.checked_machines import checked_machine, plain_drive, raid_controller
from tests.verify.measuring import COMMITS, KNEE, MEDIUM, SLOPE, answered, measured, switched, unknown_server
from tests.verify.simulated import policy, results, switcher

WRITE_BACK = VolumeCache(
    write_policy="protected_write_back",
    write_active="write_back",
    controller_cache="protected",
    drive_write_cache="disabled",
)
WRITE_THROUGH = VolumeCache(
    write_policy="write_through",
    write_active="write_through",
    controller_cache="not_caching",
    drive_write_cache="disabled",
)


def figures(answer: Answer) -> set[str]:
    """The words that measured evidence ends with."""
    return {one.statement.partition(" (")[0].split(" ", 1)[1] for one in answer.evidence if one.source == "measurement"}


@pytest.fixture(scope="module")
def write_through() -> Session:
    """No cache."""
    return measured("write-through", trials=(MEDIUM, COMMITS))


@pytest.fixture(scope="module")
def lying() -> Session:
    """A drive that ignores the flush; its cache can be switched off."""
    return switched("lying", states={"drives_off": "drive-cache off"})


@pytest.fixture(scope="module")
def battery(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Return a session on a controller's cache that a battery keeps.

    The engine switches a simulated controller, the model follows.
    """
    place = tmp_path_factory.mktemp("switched")
    states: dict[State, str] = {"write_through": "policy write-through"}
    found = switched("battery", states=states, engine=switcher(place))
    assert (results(place), policy(place)) == (["restored"], "write_back")
    return found


@pytest.fixture(scope="module")
def volatile() -> Session:
    """A drive's cache of 8 MiB that a flush empties."""
    return measured("volatile", cache=8 * MIB, trials=(MEDIUM, COMMITS, KNEE, SLOPE))


def test_a_cache_that_is_off_and_slow_commits_pass(write_through: Session) -> None:
    """The drive's report and the measurement agree."""
    answer = answered(checked_machine(plain_drive("disabled", rpm=15000)), write_through, power_safe=True)
    assert answer.verdict == "pass"
    assert "commits a second" in figures(answer)


def test_write_back_of_which_nothing_is_seen_is_suspect(write_through: Session) -> None:
    """Write-back without a measurable effect is suspect.

    The controller reports it, all settings pass, and commits wait for the medium.
    """
    known = checked_machine(raid_controller(volume_cache=WRITE_BACK))
    answer = answered(known, write_through, write_cache="protected")
    assert answer.verdict == "suspect"
    assert "the measurement shows none" in " ".join(answer.reasons)
    assert answered(known, write_through, policy_active=True).verdict == "suspect"


def test_a_drive_of_another_speed_fails(write_through: Session) -> None:
    """A drive reported with 7200 rpm fails if commits show 15000."""
    known = checked_machine(plain_drive("disabled", rpm=7200))
    assert answered(known, write_through, drive_rpm=7200).verdict == "fail"
    assert (
        answered(checked_machine(plain_drive("disabled", rpm=None)), write_through, drive_rpm=15000).verdict == "pass"
    )


def test_a_hard_drive_is_no_solid_state_drive(write_through: Session) -> None:
    """A reported solid state drive that reads like a hard drive fails."""
    assert (
        answered(checked_machine(plain_drive("disabled", media="ssd", rpm=None)), write_through, media="ssd").verdict
        == "fail"
    )
    assert (
        answered(checked_machine(plain_drive("disabled", media=None, rpm=None)), write_through, media="hdd").verdict
        == "pass"
    )


def test_a_cache_that_a_flush_empties_passes_where_settings_cannot_tell(volatile: Session) -> None:
    """No setting shows whether a drive honours a flush; the measurement does."""
    known = checked_machine(plain_drive("enabled", rpm=15000))
    answer = answered(known, volatile, power_safe=True)
    assert answer.verdict == "pass"
    assert answer.next_test is None


def test_the_size_of_a_cache_of_nobody_knows_whom_never_passes(volatile: Session) -> None:
    """A size that fits could be that of the drives' caches. A promise of eight times as much fails."""
    found = unknown_server(volatile)
    for size, verdict in (("8MiB", "inconclusive"), ("64MiB", "fail")):
        asked = claims({"cache_size": size})
        answers = tuple(unknown_target(asked, found.named, "It is not known.", served=True))
        report = Verification(host=Host(hostname="m"), verdict=overall(answers), answers=answers)
        assert joined(report, asked, found).verdict == verdict


def test_a_drive_that_lies_fails_once_its_cache_was_off(lying: Session) -> None:
    """A drive fast only with its cache on ignores the flush."""
    answer = answered(checked_machine(plain_drive("enabled", rpm=15000)), lying, power_safe=True)
    assert answer.verdict == "fail"
    assert "ignores the flush" in " ".join(answer.reasons)


def test_a_lie_behind_a_controller_in_write_through_is_seen(lying: Session) -> None:
    """All settings pass, and commits are faster than the drive rotates."""
    answer = answered(checked_machine(raid_controller(volume_cache=WRITE_THROUGH)), lying, power_safe=True)
    assert answer.verdict in ("suspect", "fail")
    assert "By its settings alone the verdict would be pass." in answer.reasons


def test_without_the_switch_a_lie_never_passes_and_the_command_is_named(lying: Session) -> None:
    """The inconclusive answer has the command of the test that would decide."""
    [medium, switch] = lying.results
    as_it_is = {"commits": switch.figures["commits_before"]}
    commits = msgspec.structs.replace(switch, trial="commits", figures=as_it_is)
    session = msgspec.structs.replace(lying, results=(medium, commits))
    answer = answered(checked_machine(plain_drive("enabled", rpm=15000)), session, power_safe=True)
    assert answer.verdict == "inconclusive"
    assert "raidctl verify --measure --power-safe --switch-drive-caches /srv" in (answer.next_test or "")


def test_write_through_that_is_too_fast_for_the_medium_does_not_pass(lying: Session, write_through: Session) -> None:
    """Commits that are faster than the drive rotates contradict write-through; those at its pace confirm it."""
    known = checked_machine(raid_controller(volume_cache=WRITE_THROUGH))
    assert answered(known, write_through, write_cache="write-through").verdict == "pass"
    fast = answered(known, lying, write_cache="write-through")
    assert fast.verdict in ("suspect", "fail")
    assert "By its settings alone the verdict would be pass." in fast.reasons
    untold = checked_machine(raid_controller(volume_cache=VolumeCache(drive_write_cache="disabled")))
    assert answered(untold, lying, write_cache="write-through").verdict == "inconclusive"


def test_a_battery_backed_cache_passes_by_the_switch(battery: Session) -> None:
    """A cache that is fast only in write-back is the controller's."""
    answer = answered(checked_machine(raid_controller(volume_cache=WRITE_BACK)), battery, write_cache="protected")
    assert answer.verdict == "pass"
    assert any("ignores the flush" in one for one in answer.ruled_out)
    assert "commits a second with the controller in write-through" in figures(answer)


def test_a_write_cache_that_nothing_protects_is_confirmed_by_fast_commits(lying: Session) -> None:
    """Fast commits confirm ``--write-cache unprotected``.

    The drive's cache is on, and commits are faster than it rotates.
    """
    answer = answered(checked_machine(plain_drive("enabled", rpm=15000)), lying, write_cache="unprotected")
    assert answer.verdict == "pass"
    assert any("a cache accepts them" in one for one in answer.reasons)


def test_the_same_cache_with_a_battery_that_failed_fails(battery: Session) -> None:
    """Speed does not make up for the battery."""
    failed = Battery(id="acme:0/battery0", kind="battery", status="failed")
    known = checked_machine(raid_controller(volume_cache=WRITE_BACK, battery=failed))
    assert answered(known, battery, power_safe=True).verdict == "fail"


def test_in_a_virtual_machine_nothing_measured_passes(write_through: Session) -> None:
    """In a virtual machine nothing measured passes.

    The confounder that forbids it wins over every figure, and the power cut would decide.
    """
    beside = Confounder(name="virtual_machine", text="This is a virtual machine.", forbids=True)
    session = msgspec.structs.replace(write_through, confounders=(beside,))
    answer = answered(checked_machine(plain_drive("enabled", rpm=15000), virtual="kvm"), session, power_safe=True)
    assert answer.verdict == "inconclusive"
    assert "Cut the power" in (answer.next_test or "")


def test_an_export_of_which_nothing_is_known_is_answered_by_the_clock_alone(write_through: Session) -> None:
    """Measured claims about the medium's kind and speed pass without any setting."""
    asked, found = claims({"media": "hdd", "drive_rpm": 15000}), unknown_server(write_through)
    answers = tuple(unknown_target(asked, found.named, "It is not known.", served=True))
    report = Verification(host=Host(hostname="m"), verdict=overall(answers), answers=answers)
    assert [one.verdict for one in joined(report, asked, found).answers] == ["pass", "pass"]
