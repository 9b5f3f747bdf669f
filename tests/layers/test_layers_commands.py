"""The commands for the stack of caches as a user types them. They run on simulated machines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from raidctl.layers.model import FlushReport, Stack, Statistics
from raidctl.output.json import schema
from raidctl.simulation.demo import demos
from raidctl.vendor.registry import vendors
from tests.support.command_line import Raidctl
from tests.support.machines import FIXTURES, MACHINES, replayed

DEMO = ("--demo", "layers")


def document(raidctl: Raidctl, *words: str, kind: type[Stack | FlushReport | Statistics]) -> dict[str, Any]:
    """The JSON of a command, checked against its schema."""
    answer: dict[str, Any] = json.loads(raidctl(*DEMO, "--json", "cache", *words).stdout)
    jsonschema.validate(answer, schema(kind.__name__, kind))
    return answer


def layers(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The layers of an answer by their ids, in their order."""
    return {layer.get("id") or layer["layer"]: layer for layer in answer["layers"]}


def test_show_lists_every_layer_from_the_top_to_the_bottom(raidctl: Raidctl) -> None:
    """Page cache, bcache, md and drives are listed. Each layer has an answer to each of the four verbs."""
    found = layers(document(raidctl, "show", "/srv/db", kind=Stack))
    kinds = [layer["kind"] for layer in found.values()]
    assert kinds == ["page_cache", "bcache", "md", "drive", "drive", "drive", "drive"]
    for layer in found.values():
        for verb in ("flush", "threshold", "stats", "split"):
            answer = layer[verb]
            assert answer["result"] in ("supported", "nothing") or answer["why"], (layer["id"], verb)


def test_show_has_the_split_of_a_controller_in_bytes(raidctl: Raidctl) -> None:
    """25/75 of 512 MiB are 384 MiB for writes."""
    text = raidctl("--demo", "p400", "cache", "show", "/").stdout
    assert "25% read (128 MiB) / 75% write (384 MiB)" in text


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("3154", "--bypass-threshold", "512"), ("6805", "--bypass-threshold", "512"),
        ("gen10", "--bypass-threshold", "512"), ("p440", "--bypass-threshold", "512"),
        ("9271", "--flush-interval", "7"), ("9660", "--flush-interval", "7"),
    ],
)  # fmt: skip
def test_show_reports_the_limits_that_threshold_can_set(raidctl: Raidctl, name: str, option: str, value: str) -> None:
    """A limit is supported exactly where the command has a plan. Elsewhere there is a reason."""
    answer = json.loads(raidctl("--demo", name, "--json", "cache", "show").stdout)
    [layer] = [layer for layer in answer["layers"] if layer["kind"] == "controller"]
    planned = raidctl("--demo", name, "cache", "threshold", option, value, "--dry-run").exit_code == 0
    assert (layer["threshold"]["result"] == "supported") is planned
    assert planned or layer["threshold"]["why"]
    assert any(limit["option"] == option for limit in layer["thresholds"]) is planned


@pytest.mark.parametrize("machine", MACHINES)
def test_show_offers_no_limit_that_a_controller_lacks(raidctl: Raidctl, machine: str) -> None:
    """No option is shown for a flush interval that cannot be set.

    The family cannot set it, though the value is shown.
    """
    answer = json.loads(raidctl("--replay", FIXTURES / machine, "--json", "cache", "show").stdout)
    found = layers(answer)
    for controller in replayed(machine).inventory.controllers:
        can = controller.capabilities.get("flush_interval")
        if controller.id in found and can is not None and not can.set:
            options = [
                limit["option"] for limit in found[controller.id]["thresholds"] if limit["name"] == "flush_interval"
            ]
            assert options in ([], [None])


def test_a_controller_read_through_raidctl_mfi_explains_why_it_has_no_limits(raidctl: Raidctl) -> None:
    """The flush interval is shown with the reason for its refusal. raidctl's command refuses it for the same reason."""
    machine = ("--replay", FIXTURES / "lab-megasas")
    found = layers(json.loads(raidctl(*machine, "--json", "cache", "show").stdout))["megaraid:0"]
    assert found["threshold"]["result"] == "unsupported"
    assert "raidctl-mfi, which has been tested on emulated controllers only" in found["threshold"]["why"]
    assert raidctl(*machine, "cache", "threshold", "--flush-interval", "7", "--dry-run").exit_code == 1


def test_show_reports_that_the_stripe_cache_of_an_array_can_be_set(raidctl: Raidctl) -> None:
    """The command that sets it is shown."""
    [layer] = [layer for layer in document(raidctl, "show", kind=Stack)["layers"] if layer["kind"] == "md"]
    assert layer["threshold"]["result"] == "supported"
    assert [limit["option"] for limit in layer["thresholds"]] == ["raidctl cache set md:md0 --stripe-cache N"]


def test_the_stripe_cache_of_the_simulated_array_is_reported_and_set(raidctl: Raidctl) -> None:
    """The kernel has the file for every array with parity, so the demo has it, too."""
    assert "stripe_cache_size 256 entries" in raidctl("--demo", "raid6", "cache", "show", "md:md0").stdout
    assert raidctl("--demo", "raid6", "cache", "set", "md:md0", "--stripe-cache", "512", "--yes").exit_code == 0
    assert "stripe_cache_size 512 entries" in raidctl("--demo", "raid6", "cache", "show", "md:md0").stdout


def test_a_journal_in_write_back_is_found_in_a_recording_of_show(raidctl: Raidctl, tmp_path: Path) -> None:
    """The files that the md family has read are enough: a recording without further ones is not "write-through"."""
    shutil.copytree(FIXTURES / "md-journal-check", tmp_path / "machine")
    record = tmp_path / "machine" / "record.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("[write-through] write-back", "write-through [write-back]"), encoding="utf-8")
    shown = raidctl("--replay", tmp_path / "machine", "--json", "cache", "show").stdout
    found = layers(json.loads(shown))["md:md126"]
    assert (found["policy_in_force"], found["flush"]["result"]) == ("write-back", "unsupported")


@pytest.mark.parametrize(
    ("machine", "way"),
    [
        ("smartarray-gen10-failed-battery", "The controller's setting for it is off already"),
        ("redfish-xcc-930-8i", "raidctl cannot do this here"),
    ],
)
def test_show_advises_no_command_that_would_be_refused(raidctl: Raidctl, machine: str, way: str) -> None:
    """The drives' caches are on although they are configured off, or raidctl cannot set them."""
    shown = json.loads(raidctl("--replay", FIXTURES / machine, "--json", "cache", "show").stdout)["layers"]
    ways = [layer["flush"]["alternative"] for layer in shown if layer["kind"] == "drive" and layer["flush"]["why"]]
    assert any(way in (text or "") for text in ways)
    assert not any("raidctl cache set" in (text or "") for text in ways)


def test_show_reports_that_a_firmware_splits_its_cache_automatically(raidctl: Raidctl) -> None:
    """No split in bytes is shown where none is fixed. The reason is always shown."""
    text = raidctl("--demo", "9271", "cache", "show").stdout
    assert "none: The firmware divides the cache" in text
    assert text.count("flushcache") == 1, "the volumes refer to their controller"


@pytest.mark.slow
@pytest.mark.parametrize("name", [demo.name for demo in demos(vendors()[0])])
def test_screens_fit_eighty_columns_on_every_demo(raidctl: Raidctl, name: str) -> None:
    """Also with everything on them; none is a fault of raidctl's own."""
    for words in (("show", "-v"), ("threshold",), ("stats", "-v"), ("flush", "--all", "--dry-run")):
        done = raidctl("--demo", name, "cache", *words)
        assert "internal error" not in done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_flush_goes_from_the_top_to_the_bottom_and_puts_the_mode_back(raidctl: Raidctl) -> None:
    """Nothing is left dirty, and the cache mode is as before. The journal has its entries."""
    before = layers(document(raidctl, "show", kind=Stack))
    report = document(raidctl, "flush", "/srv/db", kind=FlushReport)
    found = layers(report)
    assert list(found)[:3] == ["kernel:vm", "kernel:bcache0", "md:md0"]
    assert {layer["answer"]["result"] for layer in found.values()} == {"done", "nothing"}
    assert found["kernel:bcache0"]["unwritten_bytes"] == 0
    assert found["kernel:vm"]["seconds"] is not None
    assert (report["dirty_before_bytes"] > 0, report["dirty_after_bytes"]) == (True, 0)
    after = layers(document(raidctl, "show", kind=Stack))
    for name in ("policy", "thresholds"):
        assert after["kernel:bcache0"][name] == before["kernel:bcache0"][name]
    journal = " ".join(raidctl(*DEMO, "journal").stdout.split())
    assert "cache_mode of kernel:bcache0: writeback -> writethrough (start, done, undo, undone)" in journal
    assert json.loads(raidctl(*DEMO, "restore", "--json").stdout) == []


def test_flush_names_the_layer_that_cannot_with_what_comes_nearest(raidctl: Raidctl) -> None:
    """dm-cache has no flush, so the exit code is 1. The cleaner policy is shown as the way."""
    done = raidctl(*DEMO, "cache", "flush", "--all")
    assert done.exit_code == 1
    assert "lvchange --cachepolicy cleaner vg0/media" in " ".join(done.stdout.split())
    assert raidctl(*DEMO, "cache", "flush", "/srv/log").exit_code == 0


def test_flush_sends_its_message_to_a_writecache(raidctl: Raidctl) -> None:
    """Afterwards all of its blocks are free."""
    found = layers(document(raidctl, "flush", "/srv/log", kind=FlushReport))
    assert found["kernel:dm-2"]["commands"] == ["dmsetup message vg0-log 0 flush"]
    assert found["kernel:dm-2"]["unwritten_bytes"] == 0


def test_a_dry_run_of_a_flush_runs_nothing(raidctl: Raidctl) -> None:
    """The commands are printed; the dirty data stays."""
    done = raidctl(*DEMO, "cache", "flush", "--all", "--dry-run")
    assert "dmsetup message vg0-log 0 flush" in done.stdout
    found = layers(document(raidctl, "show", kind=Stack))
    assert found["kernel:vm"]["unwritten_bytes"] > 0
    assert found["kernel:dm-2"]["unwritten_bytes"] > 0


def test_a_dry_run_of_a_flush_names_the_data_that_it_does_not_write(raidctl: Raidctl) -> None:
    """Preserved data of lost volumes would be left, as after the flush itself: the exit code is 1."""
    done = raidctl("--demo", "h730-foreign", "cache", "flush", "--all", "--dry-run")
    assert (done.exit_code, "preserved data" in done.stdout) == (1, True)


@pytest.mark.parametrize("words", [(), ("/srv/db", "--all"), ("/nowhere",), ("--all", "--timeout", "0")])
def test_flush_wants_to_know_what(raidctl: Raidctl, words: Sequence[str]) -> None:
    """Refuse no target, two targets, and a missing one."""
    assert raidctl(*DEMO, "cache", "flush", *words).exit_code == 2


def test_a_threshold_is_set_read_again_and_put_back(raidctl: Raidctl) -> None:
    """Bytes take the place of percent. Setting percent again leaves no trace of them."""
    before = document(raidctl, "threshold", kind=Stack)
    bytes_ = ("--dirty-bytes", "268435456", "--dirty-background-bytes", "67108864", "--yes")
    assert raidctl(*DEMO, "cache", "threshold", *bytes_).exit_code == 0
    limits = {t["name"]: t for t in layers(document(raidctl, "threshold", kind=Stack))["kernel:vm"]["thresholds"]}
    assert (limits["dirty_bytes"]["value"], limits["dirty_ratio"]["value"]) == (268435456, 0)
    percent = ("--dirty-ratio", "20", "--dirty-background-ratio", "10", "--yes")
    assert raidctl(*DEMO, "cache", "threshold", *percent).exit_code == 0
    after = document(raidctl, "threshold", kind=Stack)
    assert after["layers"] == before["layers"]


def test_the_plan_of_a_threshold_reports_that_it_ends_with_a_reboot(raidctl: Raidctl) -> None:
    """The plan reports that a threshold ends with a reboot.

    Its undo also sets the counterpart that was not 0.
    """
    done = raidctl(*DEMO, "cache", "threshold", "--dirty-bytes", "8000000000", "--dry-run")
    assert "echo 8000000000 > /proc/sys/vm/dirty_bytes" in done.stdout
    assert "undo: echo 20 > /proc/sys/vm/dirty_ratio" in done.stdout
    assert "until the next reboot" in done.stdout


def test_watermarks_are_refused_with_the_way_that_there_is(raidctl: Raidctl) -> None:
    """They are words of the table: LVM loads a new one."""
    done = raidctl(*DEMO, "cache", "threshold", "/srv/log", "--high-watermark", "70", "--yes")
    assert done.exit_code == 1
    assert "lvchange --cachesettings" in done.stdout


@pytest.mark.slow
def test_a_figure_that_the_kernel_clamps_is_undone(raidctl: Raidctl) -> None:
    """A value that the kernel clamps is noticed and undone.

    Bcache takes 40 for 60 without a message, and the value is read again.
    """
    before = document(raidctl, "show", kind=Stack)["layers"]
    done = raidctl(*DEMO, "cache", "threshold", "/srv/db", "--writeback-percent", "60", "--yes")
    assert done.exit_code == 5
    assert "40 instead of 60" in done.stderr
    assert document(raidctl, "show", kind=Stack)["layers"] == before


def test_a_limit_that_nothing_has_is_wrong_usage(raidctl: Raidctl) -> None:
    """The option of a layer that is absent is wrong usage."""
    asked = ("cache", "threshold", "/srv/log", "--writeback-percent", "5", "--yes")
    assert raidctl(*DEMO, *asked).exit_code == 2


def test_without_a_terminal_and_without_yes_no_threshold_is_set(raidctl: Raidctl) -> None:
    """A threshold needs a confirmation like every change."""
    before = document(raidctl, "show", kind=Stack)["layers"]
    assert raidctl(*DEMO, "cache", "threshold", "--dirty-expire", "1500").exit_code == 2
    assert document(raidctl, "show", kind=Stack)["layers"] == before


def test_stats_distinguish_counters_from_estimates(raidctl: Raidctl) -> None:
    """A layer with counters has no estimate; an estimate names its method."""
    found = layers(document(raidctl, "stats", kind=Statistics))
    assert {name for name, layer in found.items() if not layer["estimate"]} == {
        "kernel:vm", "kernel:bcache0", "kernel:dm-2", "kernel:dm-7", "md:md0",
    }  # fmt: skip
    assert all(layer["method"] for layer in found.values() if layer["estimate"])
    assert "estimate: /sys/class/block/sda/stat" in found["drives:HBS4A011"]["method"]


def test_the_estimates_of_every_demo_have_a_figure_or_a_reason(raidctl: Raidctl) -> None:
    """Valid against the schema, and never silent."""
    for demo in demos(vendors()[0]):
        answer = json.loads(raidctl("--demo", demo.name, "--json", "cache", "stats").stdout)
        jsonschema.validate(answer, schema("Statistics", Statistics))
        for layer in answer["layers"]:
            assert layer["counters"] or "unknown" in layer["method"], (demo.name, layer["layer"])
            for counter in layer["counters"]:
                assert counter["value"] is not None or counter["why"], (demo.name, counter)


def test_stats_are_watched_as_often_as_requested(raidctl: Raidctl) -> None:
    """Each reading is one line of valid JSON. In a pipe, the screens are plain."""
    watched = ("cache", "stats", "/srv/log", "--watch=0.1", "--count", "2")
    lines = raidctl(*DEMO, "--json", *watched).stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        jsonschema.validate(json.loads(line), schema("Statistics", Statistics))
    assert raidctl(*DEMO, *watched).stdout.count("Use of the stack below /srv/log") == 2


@pytest.mark.slow
def test_a_target_behind_watch_is_a_target(raidctl: Raidctl) -> None:
    """A target may follow ``--watch``. The option may have a number behind it, and anything else is what is watched."""
    done = raidctl(*DEMO, "cache", "stats", "--count", "1", "--watch", "/srv/log")
    assert "below /srv/log" in done.stdout
    assert raidctl(*DEMO, "cache", "stats", "/srv/log", "--watch", "fast").exit_code == 2


def test_a_recording_is_shown_and_not_flushed(raidctl: Raidctl) -> None:
    """What would be done is printed. A recording cannot be watched."""
    place = next(demo.path for demo in demos(vendors()[0]) if demo.name == "layers")
    for words in (("show",), ("stats",), ("threshold",), ("flush", "--all", "--dry-run")):
        assert raidctl("--replay", place, "cache", *words).exit_code in (0, 1)
    for line in ("flush --all", "stats --watch", "threshold --dirty-expire 1500 --yes"):
        assert raidctl("--replay", place, "cache", *line.split()).exit_code == 2


def test_a_controller_without_a_tool_may_keep_unwritten_data(raidctl: Raidctl) -> None:
    """Its cache has no layer, so a flush of the whole machine is not called complete: exit code 4."""
    done = raidctl("--replay", str(FIXTURES / "lab-megaraid-no-tool"), "cache", "flush", "--all", "--dry-run")
    assert done.exit_code == 4
    assert "No installed tool can read the RAID controller" in done.stdout


@pytest.mark.parametrize(
    ("machine", "target", "counted"),
    [
        ("megaraid-second-card-crashes", "/mnt/scratch", []),
        ("mpt-hba-and-no-tool", "/dev/sdb", []),
        ("mpt-hba-and-no-tool", "/", ["mpt:0000:06:00.0"]),
        ("host-raid-card-no-tool", "/", ["0000:03:00.0"]),
    ],
)
def test_a_flush_of_a_target_does_not_fail_for_another_controller(
    raidctl: Raidctl, machine: str, target: str, counted: list[str]
) -> None:
    """Only a controller below the target that could not be read keeps its flush from being complete."""
    done = raidctl("--replay", str(FIXTURES / machine), "--json", "cache", "flush", target, "--dry-run")
    assert [one["where"] for one in json.loads(done.stdout)["problems"] if one["severity"] == "error"] == counted


def test_what_record_keeps_is_enough_for_all_of_them(raidctl: Raidctl, tmp_path: Any) -> None:
    """A recording of a machine with caches shows the same stack."""
    raidctl(*DEMO, "record", tmp_path / "kept")
    before = document(raidctl, "show", kind=Stack)["layers"]
    after = json.loads(raidctl("--replay", tmp_path / "kept", "--json", "cache", "show").stdout)["layers"]
    assert after == before
    assert raidctl("--replay", tmp_path / "kept", "cache", "stats").exit_code == 0


def test_a_flush_gives_the_reason_of_several_drives_once(raidctl: Raidctl) -> None:
    """The drives are listed above it; the plan refers to the first one."""
    plan = raidctl("--demo", "raid6", "cache", "flush", "md0", "--dry-run").stdout
    assert plan.count("hdparm is not installed.") == 1
    assert plan.count("\n  as for drives:ZC1A00K1\n") == 3
    shown = raidctl("--demo", "raid6", "cache", "flush", "md0").stdout
    assert shown.count("hdparm is not installed.") == 1
    assert "drives:ZC1A00K1 · drives:ZC1A00K4 · drives:ZC1A00L2 · drives:ZC1A00M7\n  hdparm" in shown
