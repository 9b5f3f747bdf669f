"""The structures have the sizes and offsets of the published headers."""

from __future__ import annotations

import pytest

from raidctl_mfi import structures as s
from raidctl_mfi.layout import U8, U16, Many, Record, Text, elements

# name, size, offsets: the figures of the kernel's megaraid_sas.h, FreeBSD's mfireg.h and QEMU's mfi.h
PUBLISHED: tuple[tuple[Record, int, dict[str, int]], ...] = (
    (s.LD_REF, 4, {"target_id": 0, "sequence": 2}),
    (s.CTRL_PROPS, 64, {"rebuild_rate": 8, "cache_flush_interval": 13, "disable_battery_warn": 20}),
    (s.COMPONENT, 72, {"version": 8, "build_date": 40, "build_time": 56}),
    (
        s.CTRL_INFO,
        2048,
        {
            "components": 184, "product_name": 1344, "serial_number": 1424, "hw_present": 1456, "lds_present": 1472,
            "pds_present": 1478, "disks_present": 1480, "memory_mib": 1488, "flash_mib": 1490, "raid_levels": 1500,
            "adapter_ops": 1504, "ld_ops": 1508, "properties": 1536, "package_version": 1600,
        },
    ),
    (s.LD_LIST, 1032, {"count": 0, "entries": 8}),
    (s.LD_ENTRY, 16, {"ld": 0, "state": 4, "blocks": 8}),
    (
        s.LD_PROPS,
        32,
        {
            "ld": 0, "name": 4, "default_cache_policy": 20, "access_policy": 21, "disk_cache_policy": 22,
            "current_cache_policy": 23, "no_bgi": 24,
        },
    ),
    (s.LD_CONFIG, 256, {"params": 32, "spans": 64}),
    (
        s.LD_INFO,
        384,
        {
            "config.params": 32, "config.params.stripe_size": 35, "config.params.drives": 36, "config.params.spans": 37,
            "config.params.state": 38, "config.params.init_state": 39, "config.params.consistent": 40, "blocks": 256,
            "progress": 264, "vpd_page83": 304,
        },
    ),
    (s.PD_ADDRESS, 24, {"enclosure_id": 2, "slot": 5, "scsi_type": 6, "sas_addresses": 8}),
    (
        s.PD_INFO,
        512,
        {
            "inquiry": 4, "vpd_page83": 100, "media_errors": 168, "other_errors": 172, "predicted_failures": 176,
            "fw_state": 184, "link_speed": 187, "ddf_type": 188, "raw_blocks": 232, "coerced_blocks": 248,
            "enclosure_id": 256, "slot": 259, "progress": 260, "vpd_page83_ext": 294, "power_state": 358,
            "interface_type": 401, "temperature": 402, "block_size": 404, "properties": 408,
        },
    ),
    (s.CONFIG_HEADER, 32, {"array_count": 4, "array_size": 6, "ld_count": 8, "ld_size": 10, "spare_count": 12}),
    (s.ARRAY_HEADER, 32, {"drives": 8, "array_ref": 10}),
    (s.ARRAY_DRIVE, 8, {"fw_state": 4, "slot": 7}),
    (s.SPARE, 40, {"type": 4, "array_count": 7, "array_refs": 8}),
    (
        s.BBU_STATUS,
        64,
        {
            "type": 0, "millivolts": 2, "milliamperes": 4, "temperature": 6, "fw_status": 8, "gas_gauge": 32,
            "relative_charge": 34, "charger": 36, "remaining_mah": 38, "full_mah": 40, "healthy": 42,
        },
    ),
    (s.BBU_PROPS, 32, {"learn_period": 0, "next_learn": 4, "learn_delay_hours": 8, "learn_mode": 9, "bbu_mode": 10}),
)  # fmt: skip


@pytest.mark.parametrize(("record", "size", "offsets"), PUBLISHED, ids=[row[0].name for row in PUBLISHED])
def test_a_structure_has_the_published_size_and_offsets(record: Record, size: int, offsets: dict[str, int]) -> None:
    """Each structure has the headers' size and offsets, to the byte."""
    assert record.size == size
    assert {name: record.offset(name) for name in offsets} == offsets


def test_every_structure_is_compared_with_the_headers() -> None:
    """Every structure is in the table, or part of one that is."""
    parts = {s.PD_REF.name, s.PROGRESS.name, s.PORTS.name, s.LD_PARAMS.name, s.SPAN.name, s.LD_PROGRESS.name}
    parts |= {s.PD_LIST_HEADER.name, s.PD_PROGRESS.name}
    assert {record.name for record in s.RECORDS} - parts == {row[0].name for row in PUBLISHED}


def test_a_field_beyond_what_was_transferred_is_none() -> None:
    """A field with a missing byte is None. Complete fields are read."""
    pair = Record("pair", (("first", U8), ("second", U16), ("rest", Many(U8, 2))))
    assert pair.decode(b"\x01\x02") == {"first": 1, "second": None, "rest": [None, None]}


def test_text_ends_at_its_nul_and_shows_odd_bytes() -> None:
    """Bytes that are not printable are shown as numbers. They thus control no terminal."""
    assert Text(8).read(b" a\x1b[2\0xy") == "a\\x1b[2"


def test_only_whole_elements_are_read() -> None:
    """A list that is cut off inside an element ends before it."""
    entry = Record("entry", (("number", U16),))
    assert [one["number"] for one in elements(entry, b"\1\0\2\0\3", 0, 3)] == [1, 2]
