"""The structures that the firmware fills, as far as they are public.

Sources: the kernel's ``drivers/scsi/megaraid/megaraid_sas.h``, FreeBSD's ``sys/dev/mfi/mfireg.h``, QEMU's
``hw/scsi/mfi.h``. The tests compare offsets and sizes with those headers' figures.
"""

from __future__ import annotations

from raidctl_mfi.layout import I16, U8, U16, U32, U64, Bytes, Many, Record, Text

LD_REF = Record("mfi_ld_ref", (("target_id", U8), ("reserved", U8), ("sequence", U16)))
PD_REF = Record("mfi_pd_ref", (("device_id", U16), ("sequence", U16)))
PROGRESS = Record("mfi_progress", (("progress", U16), ("elapsed_seconds", U16)))

CTRL_PROPS = Record(
    "mfi_ctrl_props",
    (
        ("sequence", U16), ("pred_fail_poll_interval", U16), ("intr_throttle_count", U16),
        ("intr_throttle_timeout", U16), ("rebuild_rate", U8), ("patrol_read_rate", U8), ("bgi_rate", U8),
        ("cc_rate", U8), ("recon_rate", U8), ("cache_flush_interval", U8), ("spinup_drive_count", U8),
        ("spinup_delay", U8), ("cluster_enable", U8), ("coercion_mode", U8), ("alarm_enable", U8),
        ("disable_auto_rebuild", U8), ("disable_battery_warn", U8), ("ecc_bucket_size", U8),
        ("ecc_bucket_leak_rate", U16), ("restore_hotspare_on_insertion", U8), ("expose_enclosure_devices", U8),
        ("reserved", Bytes(38)),
    ),
)  # fmt: skip

COMPONENT = Record(
    "mfi_info_component",
    (("name", Text(8)), ("version", Text(32)), ("build_date", Text(16)), ("build_time", Text(16))),
)

PORTS = Record("mfi_info_host", (("type", U8), ("reserved", Bytes(6)), ("port_count", U8), ("addresses", Many(U64, 8))))

CTRL_INFO = Record(
    "mfi_ctrl_info",
    (
        ("pci_vendor", U16), ("pci_device", U16), ("pci_subvendor", U16), ("pci_subdevice", U16),
        ("pci_reserved", Bytes(24)), ("host", PORTS), ("device", PORTS), ("image_check_word", U32),
        ("component_count", U32), ("components", Many(COMPONENT, 8)), ("pending_count", U32),
        ("pending", Many(COMPONENT, 8)), ("max_arms", U8), ("max_spans", U8), ("max_arrays", U8), ("max_lds", U8),
        ("product_name", Text(80)), ("serial_number", Text(32)), ("hw_present", U32), ("firmware_time", U32),
        ("max_commands", U16), ("max_sg_elements", U16), ("max_request_size", U32), ("lds_present", U16),
        ("lds_degraded", U16), ("lds_offline", U16), ("pds_present", U16), ("disks_present", U16),
        ("disks_predicted_to_fail", U16), ("disks_failed", U16), ("nvram_kib", U16), ("memory_mib", U16),
        ("flash_mib", U16), ("memory_correctable_errors", U16), ("memory_uncorrectable_errors", U16),
        ("cluster_allowed", U8), ("cluster_active", U8), ("max_strips_per_io", U16), ("raid_levels", U32),
        ("adapter_ops", U32), ("ld_ops", U32), ("stripe_min", U8), ("stripe_max", U8), ("stripe_reserved", U16),
        ("pd_ops", U32), ("pd_mix", U32), ("ecc_bucket_count", U8), ("reserved", Bytes(11)),
        ("properties", CTRL_PROPS), ("package_version", Text(96)), ("pad", Bytes(0x800 - 0x6A0)),
    ),
)  # fmt: skip

LD_ENTRY = Record("mfi_ld_list_entry", (("ld", LD_REF), ("state", U8), ("reserved", Bytes(3)), ("blocks", U64)))
LD_LIST = Record("mfi_ld_list", (("count", U32), ("reserved", U32), ("entries", Many(LD_ENTRY, 64))))

LD_PROPS = Record(
    "mfi_ld_props",
    (
        ("ld", LD_REF), ("name", Text(16)), ("default_cache_policy", U8), ("access_policy", U8),
        ("disk_cache_policy", U8), ("current_cache_policy", U8), ("no_bgi", U8), ("reserved", Bytes(7)),
    ),
)  # fmt: skip
LD_PARAMS = Record(
    "mfi_ld_params",
    (
        ("primary_level", U8), ("level_qualifier", U8), ("secondary_level", U8), ("stripe_size", U8),
        ("drives", U8), ("spans", U8), ("state", U8), ("init_state", U8), ("consistent", U8), ("reserved", Bytes(23)),
    ),
)  # fmt: skip
SPAN = Record("mfi_span", (("start_block", U64), ("blocks", U64), ("array_ref", U16), ("reserved", Bytes(6))))
LD_CONFIG = Record("mfi_ld_config", (("properties", LD_PROPS), ("params", LD_PARAMS), ("spans", Many(SPAN, 8))))
LD_PROGRESS = Record(
    "mfi_ld_progress",
    (
        ("active", U32), ("check", PROGRESS), ("background_init", PROGRESS), ("foreground_init", PROGRESS),
        ("reconstruction", PROGRESS), ("reserved", Many(PROGRESS, 4)),
    ),
)  # fmt: skip
LD_INFO = Record(
    "mfi_ld_info",
    (
        ("config", LD_CONFIG), ("blocks", U64), ("progress", LD_PROGRESS), ("cluster_owner", U16),
        ("reconstruct_active", U8), ("reserved1", U8), ("vpd_page83", Bytes(64)), ("reserved2", Bytes(16)),
    ),
)  # fmt: skip

PD_ADDRESS = Record(
    "mfi_pd_address",
    (
        ("device_id", U16), ("enclosure_id", U16), ("enclosure_index", U8), ("slot", U8), ("scsi_type", U8),
        ("ports", U8), ("sas_addresses", Many(U64, 2)),
    ),
)  # fmt: skip
PD_LIST_HEADER = Record("mfi_pd_list", (("size", U32), ("count", U32)))
PD_PROGRESS = Record(
    "mfi_pd_progress",
    (
        ("active", U32), ("rebuild", PROGRESS), ("patrol", PROGRESS), ("clear", PROGRESS),
        ("reserved", Many(PROGRESS, 4)),
    ),
)  # fmt: skip
PD_INFO = Record(
    "mfi_pd_info",
    (
        ("ref", PD_REF), ("inquiry", Bytes(96)), ("vpd_page83", Bytes(64)), ("not_supported", U8), ("scsi_type", U8),
        ("ports", U8), ("device_speed", U8), ("media_errors", U32), ("other_errors", U32), ("predicted_failures", U32),
        ("last_predicted_sequence", U32), ("fw_state", U16), ("disabled_for_removal", U8), ("link_speed", U8),
        ("ddf_type", U16), ("ddf_reserved", U16), ("path_count", U8), ("path_broken", U8), ("path_reserved", Bytes(6)),
        ("sas_addresses", Many(U64, 4)), ("raw_blocks", U64), ("non_coerced_blocks", U64), ("coerced_blocks", U64),
        ("enclosure_id", U16), ("enclosure_index", U8), ("slot", U8), ("progress", PD_PROGRESS),
        ("bad_block_table_full", U8), ("unusable_in_current_config", U8), ("vpd_page83_ext", Bytes(64)),
        # from here on by the kernel's megaraid_sas.h alone; older firmware leaves it zero
        ("power_state", U8), ("enclosure_position", U8), ("allowed_ops", U32), ("copyback_partner", U16),
        ("enclosure_partner", U16), ("security", U16), ("media_type", U8), ("not_certified", U8),
        ("bridge_vendor", Text(8)), ("bridge_product", Text(16)), ("bridge_revision", Text(4)), ("sat_bridge", U8),
        ("interface_type", U8), ("temperature", U8), ("emulated_block_size", U8), ("block_size", U16),
        ("reserved2", U16), ("properties", U32), ("reserved", Bytes(512 - 412)),
    ),
)  # fmt: skip

CONFIG_HEADER = Record(
    "mfi_config_data",
    (
        ("size", U32), ("array_count", U16), ("array_size", U16), ("ld_count", U16), ("ld_size", U16),
        ("spare_count", U16), ("spare_size", U16), ("reserved", Bytes(16)),
    ),
)  # fmt: skip
ARRAY_HEADER = Record(
    "mfi_array", (("blocks", U64), ("drives", U8), ("reserved", U8), ("array_ref", U16), ("pad", Bytes(20)))
)
ARRAY_DRIVE = Record("mfi_array_pd", (("ref", PD_REF), ("fw_state", U16), ("enclosure_index", U8), ("slot", U8)))
SPARE = Record(
    "mfi_spare",
    (("ref", PD_REF), ("type", U8), ("reserved", Bytes(2)), ("array_count", U8), ("array_refs", Many(U16, 16))),
)

BBU_STATUS = Record(
    "mfi_bbu_status",
    (
        ("type", U8), ("reserved", U8), ("millivolts", U16), ("milliamperes", I16), ("temperature", U16),
        ("fw_status", U32), ("pad", Bytes(20)), ("gas_gauge", U16), ("relative_charge", U16), ("charger", U16),
        ("remaining_mah", U16), ("full_mah", U16), ("healthy", U8), ("detail_reserved", Bytes(21)),
    ),
)  # fmt: skip
BBU_PROPS = Record(
    "mfi_bbu_properties",
    (
        ("learn_period", U32), ("next_learn", U32), ("learn_delay_hours", U8), ("learn_mode", U8), ("bbu_mode", U8),
        ("reserved", Bytes(21)),
    ),
)  # fmt: skip

RECORDS = (
    LD_REF, PD_REF, PROGRESS, CTRL_PROPS, COMPONENT, PORTS, CTRL_INFO, LD_ENTRY, LD_LIST, LD_PROPS, LD_PARAMS, SPAN,
    LD_CONFIG, LD_PROGRESS, LD_INFO, PD_ADDRESS, PD_LIST_HEADER, PD_PROGRESS, PD_INFO, CONFIG_HEADER, ARRAY_HEADER,
    ARRAY_DRIVE, SPARE, BBU_STATUS, BBU_PROPS,
)  # fmt: skip
