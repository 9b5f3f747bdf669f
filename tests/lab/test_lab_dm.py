"""The kernel's caches. What raidctl shows, sets and flushes is compared with dmsetup and sysfs."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from tests.lab import bcache
from tests.lab.guest import Done, Guest
from tests.lab.machine import MIB
from tests.lab.md import complete

pytestmark = [pytest.mark.lab(minutes=3), pytest.mark.xdist_group("lab-layers")]

BCACHE = "/sys/block/bcache0/bcache"
MD = "/sys/block/md0/md"
VM = ("dirty_background_ratio", "dirty_background_bytes", "dirty_ratio", "dirty_bytes",
      "dirty_expire_centisecs", "dirty_writeback_centisecs")  # fmt: skip
MAKE = """
mdadm --create /dev/md0 --quiet --run --level=5 --raid-devices=3 --chunk=64 --write-journal {MJ} {M1} {M2} {M3}
features="2 writeback no_discard_passdown smq 2 migration_threshold 0"
dmsetup create media --table "0 $(blockdev --getsz {ORIGIN}) cache {META} {FAST} {ORIGIN} 128 $features"
options="4 high_watermark 60 low_watermark 40"
dmsetup create log --table "0 $(blockdev --getsz /dev/md0) writecache s /dev/md0 {LOGGED} 4096 $options"
dmsetup mknodes; test -b /dev/mapper/media; test -b /dev/mapper/log
dd if=/run/backing of={BACKED} bs=4096 seek=1 conv=fsync; dd if=/run/cache of={BCACHE} bs=4096 seek=1 conv=fsync
echo {BACKED} > /sys/fs/bcache/register; echo {BCACHE} > /sys/fs/bcache/register
until [ -e /sys/block/bcache0 ]; do sleep 0.1; done
echo {set} > /sys/block/bcache0/bcache/attach; cd /sys/block/bcache0/bcache
echo writeback > cache_mode; echo 0 > sequential_cutoff; echo 0 > writeback_running
""" + complete("md0")
# what was discarded is taken into dm-cache with the first write; without bandwidth for migrations it stays dirty there
USE = """
blkdiscard /dev/mapper/media
for part in /dev/mapper/media /dev/mapper/log /dev/bcache0; do
  dd if=/dev/urandom of=$part bs=64k count=24 oflag=direct
  dd if=$part of=/dev/null bs=64k count=40 iflag=direct
  dd if=/dev/urandom of=$part bs=64k count=16 oflag=direct
done
"""


OF_CACHE = ("read hits", "read misses", "write hits", "write misses", "demotions", "promotions")
OF_WRITECACHE = ("reads", "read hits", "writes", "write hits uncommitted", "write hits committed",
                 "writes past the cache", "writes allocated", "writes that waited", "flushes", "discards")  # fmt: skip
"""The counters in the order of ``dmsetup status``, with raidctl's names."""


@dataclass
class Layers:
    """The machine."""

    guest: Guest

    def raidctl(self, *words: str) -> Done:
        """Run raidctl."""
        return self.guest.raidctl(*words, timeout=900)

    def shown(self, *words: str) -> dict[str, Any]:
        """The JSON of a command."""
        done = self.raidctl(*words, "--json")
        assert done.out, done
        shown: dict[str, Any] = json.loads(done.text)
        return shown

    def status(self, name: str) -> list[str]:
        """The kernel's status of a mapping: the words after the target's name."""
        return self.guest.sh(f"dmsetup status --noflush {name}").split()[3:]

    def layer(self, name: str) -> str:
        """The id that raidctl gives a mapping."""
        return "kernel:" + self.guest.sh(f"grep -lx {name} /sys/block/dm-*/dm/name").split("/")[3]

    def file(self, path: str) -> str:
        """The content of a file of sysfs or procfs."""
        return self.guest.sh(f"cat {path}").strip()

    def limits(self) -> list[str]:
        """The limits of the page cache and of bcache."""
        return self.guest.sh(f"cd /proc/sys/vm; cat {' '.join(VM)} {BCACHE}/writeback_percent").split()


@pytest.fixture(scope="module")
def layers(layers_machine: Guest) -> Layers:
    """All three caches with some data. None of them is written back automatically."""
    guest = layers_machine
    serials = guest.sh("cd /sys/block; for disk in vd*; do echo /dev/$disk $(cat $disk/serial); done")
    nodes = {serial: node for node, serial in (line.split() for line in serials.splitlines())}
    group = uuid.UUID(int=0x1AB)
    guest.write_file("/run/backing", bcache.backing(uuid.UUID(int=0xB).bytes))
    guest.write_file("/run/cache", bcache.cache(uuid.UUID(int=0xC).bytes, group.bytes, 32 * MIB))
    guest.sh(MAKE.format(set=group, **nodes), timeout=900)
    guest.sh(USE, timeout=900)
    return Layers(guest)


def dirty(layers: Layers) -> dict[str, int]:
    """Unwritten bytes of each mapping, as the kernel counts them."""
    media, log = layers.status("media"), layers.status("log")
    return {
        layers.layer("media"): int(media[10]) * int(media[2]) * 512,
        layers.layer("log"): (int(log[1]) - int(log[2])) * 4096,
    }


def test_show_lists_the_layers_from_the_top_to_the_bottom(layers: Layers) -> None:
    """Each cache has its mode, size and unwritten data. Dm-writecache comes before its array."""
    shown = {layer["id"]: layer for layer in layers.shown("cache", "show")["layers"]}
    media, log = layers.status("media"), layers.status("log")
    upper, lower = layers.layer("log"), layers.layer("media")
    names = list(shown)
    assert names[0] == "kernel:vm"
    assert names.index(upper) < names.index("md:md0")
    assert (shown[lower]["kind"], shown[lower]["policy"]) == ("dm_cache", "writeback, smq")
    assert shown[lower]["size_bytes"] == int(media[3].partition("/")[2]) * int(media[2]) * 512
    assert shown[upper]["size_bytes"] == int(log[1]) * 4096
    limits = {limit["name"]: limit["value"] for limit in shown[upper]["thresholds"]}
    assert (limits["high_watermark"], limits["low_watermark"]) == (60, 40)
    assert {name: shown[name]["unwritten_bytes"] for name in (upper, lower)} == dirty(layers)
    assert all(dirty(layers).values())
    cache = f"{BCACHE}/cache/cache0"
    assert shown["kernel:bcache0"]["policy"] == "writeback"
    assert shown["kernel:bcache0"]["size_bytes"] == int(layers.file(f"{cache}/nbuckets")) * 16 * 1024
    assert (shown["md:md0"]["policy"], shown["md:md0"]["size_bytes"]) == ("write-through", 256 * 3 * 4096)


def test_limits_are_set_and_reset(layers: Layers) -> None:
    """The kernel's files have the new limits, and then the old ones."""
    before = layers.limits()
    words = "--writeback-percent 20 --dirty-background-bytes 16777216 --dirty-bytes 67108864 --dirty-expire 1500"
    done = layers.raidctl("cache", "threshold", *words.split(), "--dirty-writeback", "250", "--yes")
    assert (done.rc, layers.limits()) == (0, ["0", "16777216", "0", "67108864", "1500", "250", "20"]), done
    words = f"--writeback-percent {before[6]} --dirty-background-ratio {before[0]} --dirty-ratio {before[2]}"
    words += f" --dirty-expire {before[4]} --dirty-writeback {before[5]}"
    done = layers.raidctl("cache", "threshold", *words.split(), "--yes")
    assert (done.rc, layers.limits()) == (0, before), done


def test_a_value_that_the_kernel_does_not_accept_is_undone(layers: Layers) -> None:
    """Bcache silently reduces 50 percent to 40, so raidctl undoes everything."""
    before = layers.limits()
    done = layers.raidctl("cache", "threshold", "--dirty-expire", "1700", "--writeback-percent", "50", "--yes")
    assert (done.rc, layers.limits()) == (5, before), done
    assert b"writeback_percent of kernel:bcache0 is 40 instead of 50" in done.err


def test_watermarks_need_a_new_table_and_are_refused(layers: Layers) -> None:
    """The message has the reason and the nearest command. The table is unchanged."""
    table = layers.guest.sh("dmsetup table log")
    done = layers.raidctl("cache", "threshold", "/dev/mapper/log", "--high-watermark", "70", "--yes")
    assert (done.rc, layers.guest.sh("dmsetup table log")) == (1, table)
    assert "dmsetup suspend" in done.text


def test_a_batch_sets_the_caches_of_an_array_temporarily(layers: Layers) -> None:
    """Stripe cache, journal mode and read-ahead are changed only for the load."""
    look = f"cat {MD}/stripe_cache_size {MD}/journal_mode /sys/block/md0/queue/read_ahead_kb"
    before = layers.guest.sh(look)
    words = ["--stripe-cache", "1024", "--journal-mode", "write-back", "--read-ahead", "4096", "--unsafe", "the lab"]
    done = layers.raidctl("batch", "/dev/md0", *words, "--yes", "--", "sh", "-c", look)
    assert (done.rc, done.text) == (0, "1024\nwrite-through [write-back]\n4096\n"), done
    assert layers.guest.sh(look) == before
    assert before.splitlines()[:2] == ["256", "[write-through] write-back"]


def test_statistics_are_the_counters_of_the_kernel(layers: Layers) -> None:
    """Every counter equals that of ``dmsetup status`` and sysfs."""
    media, log = layers.status("media"), layers.status("log")
    hits = {name: layers.file(f"{BCACHE}/stats_total/{name}") for name in ("cache_hits", "cache_misses")}
    shown = {
        layer["layer"]: {counter["name"]: counter["value"] for counter in layer["counters"]}
        for layer in layers.shown("cache", "stats")["layers"]
    }
    # counters that changed meanwhile are not compared
    still = [a == b for a, b in zip(media[4:11], layers.status("media")[4:11], strict=True)]
    of_media, of_log = shown[layers.layer("media")], shown[layers.layer("log")]
    compared = {name: int(value) for name, value, same in zip(OF_CACHE, media[4:10], still, strict=False) if same}
    assert {name: of_media[name] for name in compared} == compared
    assert len(compared) >= 4
    assert layers.status("log") == log
    assert {name: of_log[name] for name in OF_WRITECACHE} == dict(zip(OF_WRITECACHE, map(int, log[4:14]), strict=True))
    assert (of_log["size"], of_log["unwritten"]) == (int(log[1]) * 4096, (int(log[1]) - int(log[2])) * 4096)
    assert hits == {name: layers.file(f"{BCACHE}/stats_total/{name}") for name in hits}
    assert {name: shown["kernel:bcache0"][name.replace("_", " ")] for name in hits} == {
        name: int(value) for name, value in hits.items()
    }


def test_flush_reports_what_it_has_written(layers: Layers) -> None:
    """dm-writecache and bcache have no unwritten data. Dm-cache, which has no flush, is reported."""
    assert all(dirty(layers).values())
    assert layers.file(f"{BCACHE}/state") == "dirty"
    layers.guest.sh(f"echo 1 > {BCACHE}/writeback_running")
    before = [layers.file(f"{BCACHE}/{name}") for name in ("cache_mode", "writeback_percent")]
    report = layers.shown("cache", "flush", "--all")
    shown = {layer["layer"]: layer for layer in report["layers"]}
    upper, lower = layers.layer("log"), layers.layer("media")
    results = {name: shown[name]["answer"]["result"] for name in (upper, lower, "kernel:bcache0", "md:md0")}
    # from here on the kernel writes automatically, too, and may have ended before the flush began
    assert results.pop("kernel:bcache0") in ("done", "nothing")
    assert results == {upper: "done", lower: "unsupported", "md:md0": "nothing"}
    left = dirty(layers)
    assert (left[upper], shown[upper]["unwritten_bytes"]) == (0, 0)
    assert shown[lower]["unwritten_bytes"] == left[lower] > 0
    assert (layers.file(f"{BCACHE}/state"), layers.file(f"{BCACHE}/dirty_data")) == ("clean", "0.0k")
    assert [layers.file(f"{BCACHE}/{name}") for name in ("cache_mode", "writeback_percent")] == before
