"""``replace --rate``: the rebuild is faster while raidctl waits. The previous rate is restored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.change.journal import Journal
from raidctl.cli import cli
from raidctl.cli._replace_rate import at_rate
from raidctl.cli.shared.machine import Machine, machine
from raidctl.cli.shared.options import Settings
from raidctl.errors import UnderWay
from raidctl.operate.first_facts import facts_of
from raidctl.operate.first_facts_behind import facts_behind
from raidctl.operate.replacement_facts import Facts
from raidctl.survey.survey import Survey

CASES = (("raid6", "drives:ZC1A00K4", "50M"), ("h730", "megaraid:0/32:5", "60"))


@contextmanager
def on(demo: str, place: Path) -> Iterator[tuple[Machine, Settings]]:
    """A simulated machine with an empty state directory."""
    settings = Settings()
    settings.demo, settings.state_dir = demo, str(place)
    with machine(settings) as named:
        yield named, settings


def facts(seen: Survey, drive_id: str) -> Facts:
    """The facts of a drive's replacement."""
    for controller in seen.inventory.controllers:
        for drive in controller.drives:
            if drive.id == drive_id and drive.array:
                return facts_behind(seen, controller, drive)
    return facts_of(seen, drive_id, way="out")


def rate(seen: Survey) -> list[str | None]:
    """The rates of all arrays of md and of all controllers."""
    controllers = seen.inventory.controllers
    speeds = [volume.details.get("sync_speed_min") for controller in controllers for volume in controller.volumes]
    return [
        *speeds,
        *(controller.rates.rebuild if controller.rates is not None else None for controller in controllers),
    ]


@pytest.mark.parametrize(("demo", "drive", "value"), CASES)
def test_the_rate_lasts_as_long_as_raidctl_waits(demo: str, drive: str, value: str, tmp_path: Path) -> None:
    """The rate is set, verified and restored.

    This also holds if the wait ends early. The journal has it as a batch that ended.
    """
    with on(demo, tmp_path) as (named, settings):
        before = named.survey()
        during: list[str | None] = []

        def waits() -> None:
            with at_rate(named, tmp_path, settings, facts(before, drive), value):
                during.extend(rate(named.survey()))
                raise UnderWay("the hardware is not ready")

        with pytest.raises(UnderWay):
            waits()
        assert during != rate(before)
        assert rate(named.survey()) == rate(before)
    [journaled] = Journal(tmp_path).changes()
    assert (journaled.begin.kind, journaled.open) == ("batch", False)


@pytest.mark.parametrize(
    ("demo", "words", "sentence"),
    [
        ("raid6", ("/dev/sdb", "--rate", "80%"), "80%"),
        ("raid6", ("/dev/sdb", "--rate", "0"), "--rate"),
        ("p440", ("1I:1:2", "--rate", "60"), "low, medium, mediumhigh and high"),
        ("raid6", ("/dev/sdb", "--rate", "50M", "--no-wait"), "leave out --no-wait"),
    ],
)
def test_a_rate_that_cannot_be_set_is_refused_before_anything_is_done(
    demo: str, words: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    """A rate that cannot be set is refused.

    Examples are a share for md, 0, a number for a controller with named levels, and any rate with --no-wait.
    """
    options = ["--state-dir", str(tmp_path), "--demo", demo]
    result = CliRunner().invoke(cli, [*options, "replace", *words])
    assert (result.exit_code, sentence in " ".join(result.output.split())) == (2, True), result.output
    assert Journal(tmp_path).changes() == []
