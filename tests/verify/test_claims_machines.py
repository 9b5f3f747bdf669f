"""``raidctl verify`` on the recorded machines: the answers follow from the raw outputs."""

from __future__ import annotations

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.model.settable import can_set
from raidctl.output.json import schema
from raidctl.request import Read, ReadAnswer
from raidctl.runners.replay import ReplayRunner
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl.verify import judge
from raidctl.verify.report import Verification
from raidctl.verify.subjects import named, with_kernel
from raidctl.verify.wanted import claims
from tests.support.machines import MACHINES, recording, replayed
from tests.verify.conftest import Answers, Verify

VIRTUAL = ("drives-virtio", "host-vm-virtio")

PROMISES: list[tuple[str, str, str, str, str]] = [
    # machine, volume, claim with its value, verdict, a word of the reason
    ("megaraid-h730p-predictive", "megaraid:0/v1", "raid_level raid6", "pass", "size of the volume matches"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "raid_level raid5", "fail", "It is raid6"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "battery", "pass", "is ok"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "write_cache protected", "pass", "is active"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "cache_size 2GiB", "pass", "2 GiB"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "cache_size 4GiB", "fail", "less than"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "cache_split 25/75", "inconclusive", "does not report"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "drives 6", "pass", "6 drives"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "spares 1", "pass", "1 good spare"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "spares 2", "fail", "1 good spare"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "strip_size 256KiB", "pass", "256 KiB"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "strip_size 64KiB", "fail", "256 KiB"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "read_policy read-ahead", "pass", "read-ahead"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "min_size 4.7TB", "pass", "4.8 TB"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "min_size 5TB", "fail", "less than 5TB"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "media hdd", "pass", "hdd"),
    ("megaraid-h730p-predictive", "megaraid:0/v1", "media ssd", "fail", "not ssd"),
    (
        "megaraid-h730p-predictive",
        "megaraid:0/v1",
        "drive_rpm 10000",
        "inconclusive",
        "None of the 6 drives reports the rpm.",
    ),
    (
        "megaraid-h730p-predictive",
        "megaraid:0/v0",
        "drive_rpm 7200",
        "fail",
        "Both drives have no rpm (SSD), not 7,200.",
    ),
    (
        "megaraid-h730p-predictive",
        "megaraid:0/v0",
        "drive_size 4TB",
        "fail",
        "Both drives have 479.6 GB, less than 4TB.",
    ),
    ("smartarray-p400", "smartarray:1/v1", "drive_rpm 7200", "fail", "All 4 drives have 10,000 rpm, not 7,200."),
    ("smartarray-p400", "smartarray:1/v1", "media ssd", "fail", "All 4 drives are hdd, not ssd."),
    ("smartarray-p400", "smartarray:1/v1", "battery", "pass", "Both batteries"),
    ("smartarray-p400", "smartarray:1/v1", "cache_split 25/75", "pass", "25/75"),
    ("smartarray-p400", "smartarray:1/v1", "cache_split 75/25", "fail", "split 25/75"),
    ("smartarray-p400", "smartarray:1/v1", "drive_rpm 10000", "pass", "10000"),
    ("smartarray-p400", "smartarray:1/v1", "drive_cache disabled", "pass", "off"),
    ("smartarray-p400", "smartarray:1/v1", "drive_cache enabled", "fail", "off"),
    ("smartarray-gen10-failed-battery", "smartarray:0/v2", "battery", "fail", "failed"),
    (
        "smartarray-gen10-failed-battery",
        "smartarray:0/v2",
        "write_cache protected",
        "fail",
        "Write-through is active",
    ),
    ("smartarray-gen10-failed-battery", "smartarray:0/v2", "write_cache write-through", "suspect", "suspended"),
    ("smartarray-gen10-failed-battery", "smartarray:0/v2", "cache_size 2GiB", "suspect", "the cache is not in use"),
    ("smartarray-gen10-failed-battery", "smartarray:0/v1", "drive_cache disabled", "suspect", "report on"),
    ("smartarray-gen10-failed-battery", "smartarray:0/v1", "write_cache write-through", "pass", "Write-through"),
    ("megaraid-9271-learning", "megaraid:0/v0", "battery", "inconclusive", "learning"),
    ("megaraid-9271-learning", "megaraid:0/v0", "policy_active", "fail", "learn cycle"),
    ("megaraid-9271-learning", "megaraid:0/v0", "power_safe", "pass", "no unwritten data"),
    ("areca-arc1210", "areca:1/v1", "battery", "fail", "missing"),
    ("areca-arc1210", "areca:1/v1", "write_cache protected", "fail", "not protected"),
    ("areca-arc1210", "areca:1/v1", "write_cache unprotected", "pass", "whatever the state of the battery"),
    ("areca-arc1210", "areca:1/v1", "power_safe", "fail", "lost in a power failure"),
    ("areca-arc1882-degraded", "areca:1/v1", "write_cache protected", "suspect", "when the battery fails"),
    ("areca-arc1882-degraded", "areca:1/v1", "drives 6", "fail", "only 5 work"),
    ("areca-arc1882-degraded", "areca:1/v1", "volume_status ok", "fail", "degraded"),
    ("areca-arc1882-degraded", "areca:1/v2", "volume_status ok", "pass", "a consistency check is running"),
    ("threeware-9690sa-rebuilding", "threeware:6/v1", "power_safe", "inconclusive", "is not reported"),
    ("md-healthy", "md:md1", "raid_level raid6", "pass", "size"),
    ("md-healthy", "md:md1", "battery", "fail", "Software RAID"),
    ("md-healthy", "md:md1", "write_cache protected", "fail", "Software RAID"),
    ("md-healthy", "md:md1", "drive_cache enabled", "pass", "on"),
    ("md-healthy", "md:md1", "spares 1", "pass", "1 good spare"),
    ("md-healthy", "md:md1", "power_safe", "inconclusive", "honour a flush"),
    ("md-degraded-rebuilding", "md:md5", "drives 3", "fail", "only 2 work"),
    ("drives-nvme", "drives:QZDC46P00291", "power_safe", "pass", "off"),
    ("drives-sas-multipath", "drives:TGK00C3Z", "raid_level raid1", "fail", "single plain drive"),
    ("smartarray-two-tools", "smartarray:0/1I:1:1", "battery", "fail", "without RAID"),
    (
        "megaraid-second-card-crashes",
        "megaraid:0/v239",
        "write_cache protected",
        "suspect",
        "continues when the battery fails",
    ),
]


@pytest.mark.parametrize("promise", PROMISES, ids="-".join)
def test_each_claim_has_the_answer_of_the_raw_text(answers: Answers, promise: tuple[str, str, str, str, str]) -> None:
    """Each claim about a recorded volume has the raw output's answer."""
    machine, name, claim, verdict, word = promise
    kind, _, value = claim.partition(" ")
    words = [f"--{kind.replace('_', '-')}", *([value] if value else []), name]
    answer = answers(machine, *words)[name, kind]
    assert answer["verdict"] == verdict
    assert word in " ".join(answer["reasons"])


@pytest.mark.parametrize("machine", MACHINES)
def test_every_answer_has_a_reason_and_every_doubt_a_test(verify: Verify, machine: str) -> None:
    """On every machine the JSON fits its schema. Each answer has a reason, and an inconclusive one has its test."""
    document = msgspec.json.decode(verify(machine, "--json").stdout)
    jsonschema.Draft202012Validator(schema("Verification", Verification)).validate(document)
    assert document["answers"]
    for answer in document["answers"]:
        assert answer["reasons"]
        assert answer["verdict"] != "inconclusive" or answer["next_test"], answer


@pytest.mark.parametrize("machine", MACHINES)
def test_a_command_that_sets_drive_caches_is_named_only_where_raidctl_can_set_them(
    answers: Answers, machine: str
) -> None:
    """A next test names `raidctl cache set` only for controllers on which raidctl can set the drives' caches."""
    able = {
        name
        for controller in replayed(machine).inventory.controllers
        if can_set(controller, "drive_write_cache")
        for name in [*(volume.id for volume in controller.volumes), *(drive.id for drive in controller.drives)]
    }
    for (name, claim), answer in answers(machine, "--power-safe", "--drive-cache", "off").items():
        assert name in able or "raidctl cache set" not in (answer["next_test"] or ""), (name, claim)


@pytest.mark.parametrize("machine", VIRTUAL)
@pytest.mark.parametrize("claim", ["--battery", "--power-safe", "--drive-cache=disabled", "--write-cache=protected"])
def test_nothing_about_safety_passes_in_a_virtual_machine(verify: Verify, machine: str, claim: str) -> None:
    """In a virtual machine, a claim about what survives is inconclusive, and so is the exit code."""
    done = verify(machine, claim)
    assert done.exit_code == 3
    assert "virtual machine (kvm)" in " ".join(done.stdout.split())


def test_the_evidence_names_the_command_and_the_line(answers: Answers) -> None:
    """Evidence is the tool's own line with the command that printed it."""
    answer = answers("smartarray-p400", "--cache-split", "25/75")["smartarray:1/v1", "cache_split"]
    assert {
        "command": "hpacucli ctrl all show config detail",
        "raw": "Accelerator Ratio: 25% Read / 75% Write",
    }.items() <= (answer["evidence"][0].items())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("smartarray-p400", "--raid-level", "raid5", "--battery"), 0),
        (("smartarray-p400", "--raid-level", "raid6", "--battery"), 1),
        (("smartarray-p400", "--raid-level", "6", "--raid-level", "raid-5"), 0),
        (("smartarray-gen10-failed-battery", "--drive-cache", "off", "/boot"), 1),
        (("md-healthy", "--raid-level", "raid6", "--power-safe", "/srv"), 3),
        (("host-raid-card-no-tool", "--raid-level", "raid6", "/srv/db"), 4),
        (("host-laptop-nvme", "--power-safe"), 3),
        (("md-healthy", "--raid-level", "raid7"), 2),
        (("md-healthy", "--cache-size", "abc"), 2),
        (("md-healthy", "--cache-size", "512"), 2),
        (("md-healthy", "--cache-split", "25/80"), 2),
        (("md-healthy", "--drive-rpm", "7000"), 2),
        (("md-healthy", "--drives", "0"), 2),
        (("md-healthy", "--write-cache", "protect"), 2),
        (("md-healthy", "--read-policy", "adaptive"), 2),
        (("md-healthy", "--battery", "md:md7"), 2),
    ],
)
def test_the_exit_code_is_the_answer(verify: Verify, words: tuple[str, ...], code: int) -> None:
    """The exit code is the answer.

    0: all pass; 1: one fails or is suspect; 3: inconclusive; 4: a tool is missing; 2: wrong usage.
    """
    assert verify(*words).exit_code == code


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--raid-level", "raid7"), "raid5, raid6, raid10"),
        (("--cache-size", "abc"), "512MiB"),
        (("--write-cache", "protect"), "did you mean protected"),
        (("--drive-rpm", "7000"), "did you mean 7200"),
        (("--read-policy", "adaptive"), "omit it"),
        (("--strip-size", "64KiB", "md:md0"), "raid1 has no strips"),
    ],
)
def test_an_invalid_claim_is_refused_with_a_valid_one(verify: Verify, words: tuple[str, ...], hint: str) -> None:
    """A usage error gives a correct form in one sentence."""
    done = verify("md-healthy", *words)
    assert done.exit_code == 2
    assert hint in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    ("machine", "target", "found"),
    [
        ("host-lvm-on-md", "/srv/my data", {"md:md0"}),
        ("host-lvm-on-md", "/srv/my data/2024/may", {"md:md0"}),
        ("host-lvm-on-md", "md0", {"md:md0"}),
        ("md-healthy", "/srv/db", {"md:md1"}),
        ("md-healthy", "/dev/md0", {"md:md0"}),
        ("smartarray-gen9-degraded", "smartarray:0", {"smartarray:0/v1", "smartarray:0/v2"}),
        ("smartarray-gen9-degraded", "smartarray:0/B", {"smartarray:0/v2"}),
        ("adaptec-smartraid-mixed", "/mnt/seed/x", {"adaptec:1/0,6"}),
        ("drives-sas-multipath", "/srv/archive", {"drives:TGK00C3Z"}),
    ],
)
def test_a_target_is_followed_down_to_its_volumes(answers: Answers, machine: str, target: str, found: set[str]) -> None:
    """A target is followed down to the volumes that carry it.

    A target is a mount point, a directory on it, a device or an id.
    """
    assert {name for name, _ in answers(machine, "--volume-status", "ok", target)} == found


def test_a_directory_on_no_drive_is_reported(verify: Verify) -> None:
    """A file system without a block device cannot be judged. The exit code is 3, with a sentence."""
    done = verify("host-no-udev", "--power-safe", "/proc/1")
    assert done.exit_code == 3
    assert "on a proc file system" in done.stderr


def test_an_unread_controller_keeps_the_whole_machine_from_passing(verify: Verify) -> None:
    """One controller proves nothing about another that is not shown. A volume given by its name can pass."""
    assert verify("megaraid-second-card-crashes", "--battery").exit_code == 3
    assert verify("megaraid-second-card-crashes", "--battery", "megaraid:0/v239").exit_code == 0
    done = verify("megaraid-second-card-crashes", "--battery", "megaraid:1")
    assert done.exit_code == 3
    assert "could be read" in done.stderr


def test_drives_of_arrays_are_not_judged_beside_them(answers: Answers) -> None:
    """Drives of software arrays are judged only as part of them. Without a target, that includes failed ones."""
    assert {name for name, _ in answers("md-degraded-rebuilding")} == {"md:md5", "md:md10"}


def test_drives_outside_the_volumes_are_named_where_they_are_left_out(verify: Verify) -> None:
    """A claim without a target is about the volumes. A mounted drive beside them is named, not passed over."""
    assert "adaptec:1/0,6" in verify("adaptec-smartraid-mixed", "--battery").stdout


@pytest.mark.parametrize("machine", MACHINES)
def test_the_screen_fits_80_columns(verify: Verify, machine: str) -> None:
    """Every line of every machine's answer fits a terminal of 80 columns. In a pipe it has no colour."""
    done = verify(machine)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_the_schema_of_the_answer_can_be_printed() -> None:
    """``raidctl schema verify`` prints the schema that the answers fit.

    Without a word, it prints that of the inventory.
    """
    titles = [
        msgspec.json.decode(CliRunner().invoke(cli, words).stdout)["title"]
        for words in (["schema", "verify"], ["schema"])
    ]
    assert titles == ["Verification of raidctl", "Inventory of raidctl"]


@pytest.mark.parametrize(
    ("machine", "name", "device", "queue", "verdict", "sends"),
    [
        ("md-healthy", "md:md1", "md1", "write back", "inconclusive", True),
        ("md-healthy", "md:md1", "md1", "write through", "fail", False),
        ("host-lvm-on-md", "md:md0", "dm-0", "write back", "inconclusive", True),
        ("host-lvm-on-md", "md:md0", "dm-0", "write through", "inconclusive", False),
    ],
)
def test_an_array_to_which_the_kernel_sends_no_flush_is_not_safe(
    machine: str, name: str, device: str, queue: str, verdict: str, *, sends: bool
) -> None:
    """The queue of the array decides for all that is on it, and that of a logical volume for its own files."""
    file = Read(f"/sys/class/block/{device}/queue/write_cache")
    replay = ReplayRunner(recording(machine)).with_answers({file: ReadAnswer(data=f"{queue}\n".encode())})
    known = with_kernel(survey(replay, vendors()[0]), replay)
    [answer] = judge.verify(known, claims({"power_safe": True}), named(known, [name]), (name,), ()).answers
    assert answer.verdict == verdict
    assert bool(answer.ruled_out) == sends
    assert (f"/dev/{device} as write-through" in " ".join(answer.reasons)) != sends
