"""Changes of an array's stripe cache and journal. The tests cover plans, and what the kernel would refuse."""

from __future__ import annotations

import pytest

from raidctl.model import Controller, Volume
from raidctl.request import WriteAnswer
from raidctl.vendor.plan import Desired, Plan, Setting
from raidctl_md.change import current_settings, flushes, judge, plan

WHOLE = {"stripe_cache_size": "256", "journal_mode": "[write-through] write-back"}
FILES = "/sys/block/md7/md"


def array(
    *, level: str = "raid5", active: int = 4, device: str = "/dev/md7", policy: str = "journal", **details: str
) -> Controller:
    """An array of four members with a journal."""
    volume = Volume(
        id="md:md7",
        raid_level=level,  # type: ignore[arg-type]  # a word of the model
        device=device,
        status="ok" if active == 4 else "degraded",
        drives_expected=4,
        drives_active=active,
        consistency_policy=policy,
        details={**WHOLE, **details},
    )
    return Controller(id="md", mode="software", volumes=(volume,))


def planned(controller: Controller, setting: Setting, value: str) -> Plan:
    """The plan for one desired setting of the array."""
    return plan(controller, [Desired(object_id="md:md7", setting=setting, value=value)], ())


def refused(made: Plan) -> tuple[str, str]:
    """Kind and reason of a plan's only refusal. The plan has no step."""
    [refusal] = made.refusals
    assert not made.steps
    return refusal.kind, refusal.reason


@pytest.mark.parametrize(
    ("setting", "value", "before"),
    [("stripe_cache_size", "4096", "256"), ("journal_mode", "write-back", "write-through")],
)
def test_a_file_is_written_and_its_previous_value_is_the_undo(setting: Setting, value: str, before: str) -> None:
    """The file is in the array's directory. The kernel loses both settings when the array stops."""
    [step] = planned(array(), setting, value).steps
    assert (step.action.path, step.action.data) == (f"{FILES}/{setting}", value)
    assert (step.undo.path, step.undo.data) == (f"{FILES}/{setting}", before)
    assert (step.before, step.after, step.persistent) == (before, value, False)


def test_the_memory_of_the_stripe_cache_is_reported() -> None:
    """Four members with 4096 entries of 4 KiB each take 64 MiB."""
    [step] = planned(array(), "stripe_cache_size", "4096").steps
    assert "64 MiB" in step.affects[0]


def test_the_risk_of_a_journal_in_write_back_is_reported() -> None:
    """Only the change to write-back reports a risk."""
    [there] = planned(array(), "journal_mode", "write-back").steps
    [back] = planned(array(journal_mode="write-through [write-back]"), "journal_mode", "write-through").steps
    assert ("lost" in there.affects[0], back.affects) == (True, ())


@pytest.mark.parametrize(("setting", "value"), [("stripe_cache_size", "256"), ("journal_mode", "write-through")])
def test_an_unchanged_value_is_not_written(setting: Setting, value: str) -> None:
    """The plan reports that no change is needed."""
    made = planned(array(), setting, value)
    assert (made.steps, made.refusals, len(made.already)) == ((), (), 1)


@pytest.mark.parametrize(("value", "fits"), [("17", True), ("32768", True), ("16", False), ("32769", False)])
def test_the_stripe_cache_has_bounds(value: str, *, fits: bool) -> None:
    """The stripe cache size has the kernel's limits."""
    assert bool(planned(array(), "stripe_cache_size", value).steps) == fits


@pytest.mark.parametrize("value", ["", "0", "-1", "0512", "many", "9" * 400, "²"])
def test_an_invalid_number_is_no_size(value: str) -> None:
    """A size that the kernel would refuse or reformat is unsupported."""
    assert refused(planned(array(), "stripe_cache_size", value))[0] == "unsupported"


@pytest.mark.parametrize("setting", ["stripe_cache_size", "journal_mode"])
@pytest.mark.parametrize("level", ["raid0", "raid1", "raid10", "linear"])
def test_only_arrays_with_parity_have_these_settings(level: str, setting: Setting) -> None:
    """The reason names the level."""
    value = "512" if setting == "stripe_cache_size" else "write-back"
    kind, reason = refused(planned(array(level=level, stripe_cache_size="", journal_mode=""), setting, value))
    assert (kind, level in reason) == ("unsupported", True)


def test_an_array_without_a_journal_has_no_journal_mode() -> None:
    """The alternative shows how a journal is added."""
    made = planned(array(policy="bitmap", journal_mode=""), "journal_mode", "write-back")
    assert (refused(made)[0], "--add-journal" in (made.refusals[0].alternative or "")) == ("unsupported", True)


def test_a_degraded_array_is_not_set_to_write_back() -> None:
    """The kernel refuses write-back on a degraded array, but not write-through."""
    assert "degraded" in refused(planned(array(active=3), "journal_mode", "write-back"))[1]
    broken = array(active=3, journal_mode="write-through [write-back]")
    assert planned(broken, "journal_mode", "write-through").steps


@pytest.mark.parametrize(("setting", "value"), [("stripe_cache_size", "512"), ("journal_mode", "write-back")])
def test_what_cannot_be_read_is_not_changed(setting: Setting, value: str) -> None:
    """A setting that is not reported is not changed. It could not be restored."""
    silent = Controller(id="md", volumes=(Volume(id="md:md7", raid_level="raid5", device="/dev/md7"),))
    assert refused(planned(silent, setting, value))[0] == "unknown"


def test_a_mode_that_shows_no_choice_is_not_changed() -> None:
    """Without brackets the active mode is unknown."""
    assert refused(planned(array(journal_mode="write-through"), "journal_mode", "write-back"))[0] == "unknown"


@pytest.mark.parametrize("device", ["/dev/md/media", "/dev/sda", "/dev/md7/../../x", ""])
def test_an_array_without_the_kernels_name_is_not_written(device: str) -> None:
    """Without the kernel's name, the array's directory is unknown."""
    found = array(device=device)
    assert current_settings(found) == {}
    assert refused(planned(found, "stripe_cache_size", "512"))[0] == "unknown"


@pytest.mark.parametrize("setting", ["write_policy", "read_policy", "cache_split", "drive_write_cache"])
def test_md_has_no_other_cache_setting(setting: Setting) -> None:
    """The refusal names the settings that md has."""
    kind, reason = refused(planned(array(), setting, "enabled"))
    assert (kind, "stripe cache" in reason) == ("unsupported", True)


def test_the_current_settings_are_the_kernels_words() -> None:
    """The word in brackets is the current value."""
    assert current_settings(array()) == {
        ("md:md7", "stripe_cache_size"): "256",
        ("md:md7", "journal_mode"): "write-through",
    }


def test_md_has_nothing_to_flush_or_to_judge() -> None:
    """The layers flush, and the engine reports the kernel's refusals."""
    [step] = planned(array(), "stripe_cache_size", "512").steps
    assert flushes(array(), ()) == []
    assert judge(step.action, WriteAnswer()) is None
