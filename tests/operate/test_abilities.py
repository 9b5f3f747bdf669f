"""Which operations each family has, and what they were tried on: ``raidctl vendors``."""

from __future__ import annotations

import json

from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.vendor.abilities import kinds_of
from raidctl.vendor.operations import operations_of
from tests.support.deeds import VENDORS


def test_every_family_with_deeds_names_what_they_were_tried_on() -> None:
    """Nothing possible lacks a proof's word, nothing impossible lacks a reason."""
    for vendor in VENDORS:
        offered = operations_of(vendor)
        kinds = kinds_of(vendor)
        assert bool(kinds) is (offered is not None and hasattr(offered, "abilities")), vendor.FAMILY
        tools = {tool for kind in kinds for tool in kind.tools}
        assert not kinds or tools == {tool.name for tool in vendor.TOOLS}
        for one in (one for kind in kinds for one in kind.abilities.values()):
            assert one.can or one.why_not
            assert not one.printed or (not one.can and one.alternative is not None) or vendor.FAMILY == "megaraid"


def test_only_md_was_tried_on_a_real_kernel() -> None:
    """Only md was tried on a real kernel. No family was tried on a real controller."""
    proven = {
        vendor.FAMILY
        for vendor in VENDORS for kind in kinds_of(vendor) for one in kind.abilities.values() if one.proof == "kernel"
    }  # fmt: skip
    assert proven == {"md"}


def test_generations_of_a_family_are_kinds_of_their_own() -> None:
    """Adaptec's two drivers take other commands."""
    adaptec = next(vendor for vendor in VENDORS if vendor.FAMILY == "adaptec")
    assert [kind.drivers for kind in kinds_of(adaptec)] == [("aacraid",), ("smartpqi",)]


def test_the_screen_and_the_data_show_them() -> None:
    """The screen shows them by what they were tried on. The data has the reasons."""
    screen = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["vendors"]).stdout
    assert "tried on a real kernel" in screen
    assert "simulator from captures" in screen
    assert "simulator from other programs" in screen
    assert "printed, never run" in screen
    families = json.loads(CliRunner().invoke(cli, ["--json", "vendors"]).stdout)
    [areca] = [one for one in families if one["family"] == "areca"]
    [kind] = areca["operations"]
    assert kind["abilities"]["add_spare"] == {
        "can": True, "why_not": None, "alternative": None, "printed": False, "by_help": False, "proof": "programs",
    }  # fmt: skip
    assert kind["abilities"]["erase"]["why_not"]


def test_the_help_of_a_command_that_no_family_carries_out_names_it() -> None:
    """A command is described as one that is only printed exactly where no family runs it."""
    able = {
        verb for vendor in VENDORS for kind in kinds_of(vendor) for verb, one in kind.abilities.items() if one.can
    }  # fmt: skip
    states = {("drive", verb): verb for verb in ("good", "offline", "online", "jbod", "raid", "erase")}
    work = {
        (group, verb): f"{verb}_{group}"
        for group in ("rebuild", "patrol") for verb in ("start", "stop", "pause", "resume")
    }  # fmt: skip
    for words, verb in {**states, **work}.items():
        text = CliRunner().invoke(cli, [*words, "--help"]).stdout
        assert ("raidctl does not run it" in text) is (verb not in able), words


def test_the_schedule_of_learn_cycles_is_changed_by_hand() -> None:
    """The command of the tool's help is printed, never run. A family without such a command reports that."""
    for demo, sentence in {
        "h730": "Run it yourself: /opt/MegaRAID/perccli/perccli64 /c0/bbu set learnDelayInterval=HOURS",
        "perc5i": "MegaCli -AdpBbuCmd -ScheduleLearn -STARTTIME DDD hh -a0 -NoLog",
        "9271": "none for a CacheVault",
        "9690": "raidctl has no command to change the schedule of learn cycles",
    }.items():
        controller = "threeware:6" if demo == "9690" else "megaraid:0"
        for words in ((controller,), ()):  # as for every command that only shows something, the argument limits it
            done = CliRunner().invoke(cli, ["--demo", demo, "battery", "schedule", *words])
            assert done.stderr.startswith(f"{controller}: "), (demo, words)
            assert sentence in done.stderr, demo
            assert "next learn" in done.stdout
