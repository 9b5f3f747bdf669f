"""The keys of smartctl's JSON, and their meaning. The format is 1.0, of releases 7.0 to 7.5.

Source: the assignments to ``jglb`` in ataprint.cpp, scsiprint.cpp, nvmeprint.cpp, farmprint.cpp, smartctl.cpp.
"""

from __future__ import annotations

import re

from raidctl.text import regex
from raidctl_drives.smart.numbers import LARGEST

TEXTS: dict[str, tuple[str, int]] = {
    # path: field, rank
    "model_name": ("model", 1),
    "scsi_product": ("model", 2),
    "product": ("model", 2),
    "scsi_model_name": ("model", 0),
    "serial_number": ("serial", 1),
    "firmware_version": ("firmware", 2),
    "scsi_revision": ("firmware", 1),
    "revision": ("firmware", 1),
    "logical_unit_id": ("wwn", 1),
}
"""Leaves whose text is a field."""

NUMBERS: dict[str, tuple[str, int, int, int]] = {
    # path: field, rank, lowest and highest value that can be meant
    "user_capacity.bytes": ("size_bytes", 2, 1, LARGEST),
    "nvme_total_capacity": ("size_bytes", 1, 1, LARGEST),
    "temperature.current": ("temperature_celsius", 2, -100, 200),
    "nvme_smart_health_information_log.temperature": ("temperature_celsius", 1, -100, 200),
    "temperature.drive_trip": ("max_temperature_celsius", 2, 1, 200),
    "nvme_composite_temperature_threshold.critical": ("max_temperature_celsius", 1, 1, 200),
    "power_on_time.hours": ("power_on_hours", 2, 0, 10_000_000),
    "nvme_smart_health_information_log.power_on_hours": ("power_on_hours", 1, 0, 1 << 64),
    "nvme_smart_health_information_log.media_errors": ("errors.media", 1, 0, 1 << 64),
    "nvme_smart_health_information_log.num_err_log_entries": ("errors.other", 1, 0, 1 << 64),
}
"""Leaves whose number is a field."""


_KEPT = (
    r"model_family",
    r"ata_additional_product_id",
    r"device\.(?:type|protocol|info_name)",
    r"scsi_vendor",
    r"vendor",
    r"scsi_version",
    r"logical_block_size",
    r"physical_block_size",
    r"form_factor\.name",
    r"trim\.\w+",
    r"zoned_device\.capabilities",
    r"(?:ata|sata|nvme)_version\.string",
    r"interface_speed\.max\.string",
    r"device_type\.name",
    r"vendor_name",
    r"scsi_transport_protocol\.name",
    r"scsi_lb_provisioning\.name",
    r"scsi_protection_\w+",
    r"smart_support\.\w+",
    r"ata_(?:apm|aam|dsn|security)\.(?:level|string|enabled|recommended_level)",
    r"read_lookahead\.enabled",
    r"power_cycle_count",
    r"power_mode\.\w+",
    r"endurance_used\.current_percent",
    r"spare_available\.\w+",
    r"scsi_grown_defect_list",
    r"scsi_percentage_used_endurance_indicator",
    r"scsi_pending_defects\.count",
    r"scsi_start_stop_cycle_counter\.\w+",
    r"temperature\.(?:drive_trip|\w+_m(?:ax|in)|\w+_minutes|\w+_count)",
    r"scsi_error_counter_log\.\w+\.(?:total_errors_corrected|total_uncorrected_errors)",
    r"scsi_background_scan\.status\.(?:string|number_\w+)",
    r"scsi_tapealert\.status",
    r"tapealert\.status",
    r"scsi_(?:nonmedium|non_medium)\w*\.?\w*",
    r"scsi_self_test_status\.\w+",
    r"scsi_environmental_reports\.\w+(?:\.\w+)?",
    r"nvme_(?:controller_id|number_of_namespaces|unallocated_capacity|ieee_oui_identifier|pci_vendor\.\w+)",
    r"nvme_namespaces\[\d+\]\.(?:formatted_lba_size|(?:size|capacity|utilization)\.bytes)",
    r"nvme_composite_temperature_threshold\.\w+",
    r"nvme_maximum_data_transfer_pages",
    r"nvme_smart_health_information_log\.(?:available_spare(?:_threshold)?|percentage_used|data_units_\w+)",
    r"nvme_smart_health_information_log\.(?:host_\w+|controller_busy_time|power_cycles|unsafe_shutdowns|\w+_time)",
    r"nvme_smart_health_information_log\.(?:\w+_count|critical_warning|temperature_sensors\[\d+\])",
    r"(?:host_reads|host_writes)\.\w+",
    r"ata_smart_error_log\.\w+\.count",
    r"ata_pending_defects_log\.count",
    r"ata_smart_data\.self_test\.status\.string",
    r"nvme_self_test_log\.current_self_test_operation\.string",
    r"ata_sct_erc\.(?:read|write)\.(?:enabled|deciseconds)",
    r"in_smartctl_database",
    r"scsi_model_name",
    r"ata_smart_self_test_log\.\w+\.(?:error_count_total|count)",
    r"nvme_self_test_log\.table\[0\]\.self_test_(?:code|result)\.string",
    r"scsi_self_test_0\.(?:code|result)\.string",
    r"ata_smart_self_test_log\.\w+\.table\[0\]\.(?:type|status)\.string",
    r"scsi_sas_port_\d+\.phy_\d+\.(?:sas_address|attached_sas_address|negotiated_logical_link_rate)",
)

DETAILS = regex("|".join(_KEPT), re.ASCII)
"""Leaves that are kept in ``details`` under their path."""

NOTED = regex(
    r"(?:json_format_version|smartctl|local_time|device|user_capacity|interface_speed|sata_version|ata_version|wwn|"
    r"form_factor|device_type|scsi_transport_protocol|scsi_lb_provisioning|smart_status|smart_support|rotation_rate|"
    r"ata_smart_data|ata_sct_capabilities|ata_smart_attributes|ata_smart_error_log|ata_smart_self_test_log|"
    r"ata_smart_selective_self_test_log|ata_log_directory|ata_device_statistics|ata_sct_status|"
    r"ata_sct_temperature_history|ata_sct_erc|ata_pending_defects_log|ata_security|ata_apm|ata_aam|ata_dsn|"
    r"sata_phy_event_counters|seagate_farm_log|nvme_pci_vendor|nvme_version|nvme_namespaces|"
    r"nvme_firmware_update_capabilities|nvme_optional_admin_commands|nvme_optional_nvm_commands|"
    r"nvme_log_page_attributes|nvme_power_states|nvme_error_information_log|nvme_self_test_log|"
    r"nvme_smart_health_information_log|scsi_error_counter_log|scsi_self_test_\d+|scsi_extended_self_test_seconds|"
    r"scsi_background_scan|scsi_sas_port_\d+|scsi_format_status|format_status|scsi_device_statistics|scsi_pending_defects|"
    r"scsi_environmental_reports|scsi_general_statistics_and_performance_log|scsi_zoned_block_device_statistics|"
    r"scsi_tapealert|tapealert|scsi_start_stop_cycle_counter|scsi_self_test_status|temperature|temperature_warning|"
    r"power_on_time|power_mode|endurance_used|spare_available|host_reads|host_writes|trim|zoned_device|scsi_product|"
    r"product|revision|scsi_revision|firmware_version|serial_number|model_name|logical_unit_id|smartctl_\d+_[iu])"
    r"(?:[.\[].*)?",
    re.ASCII,
)
"""Groups that are known as a whole. Anything in them that is neither a fact nor a detail is history or format."""
