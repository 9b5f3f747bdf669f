"""Outputs of smartctl as JSON."""

from __future__ import annotations

from typing import Any

HEAD: dict[str, Any] = {
    "json_format_version": [1, 0],
    "smartctl": {"version": [7, 4], "argv": ["smartctl", "-j", "-a", "/dev/sdq"], "exit_status": 0},
    "local_time": {"time_t": 1772510706, "asctime": "Tue Mar  3 04:05:06 2026 UTC"},
}

ATA: dict[str, Any] = {
    **HEAD,
    "device": {"name": "/dev/sdq", "info_name": "/dev/sdq [SAT]", "type": "sat", "protocol": "ATA"},
    "model_family": "Harbor Quay",
    "model_name": "HARBOR HD4000QX-2",
    "serial_number": "HBQ40A17",
    "wwn": {"naa": 5, "oui": 660268, "id": 16464475655},
    "firmware_version": "HQ07",
    "user_capacity": {"blocks": 7814037168, "bytes": 4000787030016},
    "rotation_rate": 5400,
    "form_factor": {"ata_value": 2, "name": "3.5 inches"},
    "sata_version": {"string": "SATA 3.1", "value": 127},
    "interface_speed": {
        "max": {"sata_value": 14, "string": "6.0 Gb/s", "units_per_second": 60, "bits_per_unit": 100000000},
        "current": {"sata_value": 2, "string": "3.0 Gb/s", "units_per_second": 30, "bits_per_unit": 100000000},
    },
    "smart_support": {"available": True, "enabled": True},
    "write_cache": {"enabled": True},
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "revision": 10,
        "table": [
            {"id": 5, "name": "Reallocated_Sector_Ct", "value": 100, "worst": 100, "thresh": 10, "when_failed": "",
             "flags": {"value": 51, "string": "PO--CK ", "prefailure": True}, "raw": {"value": 8, "string": "8"}},
            {"id": 194, "name": "Temperature_Celsius", "value": 33, "worst": 44, "thresh": 0, "when_failed": "",
             "flags": {"value": 34, "string": "-O---K ", "prefailure": False},
             "raw": {"value": 77309411361, "string": "33 (0 18 0 0 0)"}},
        ],
    },
    "power_on_time": {"hours": 20457},
    "temperature": {"current": 33},
    "ata_smart_self_test_log": {"standard": {"revision": 1, "count": 1, "table": [
        {"type": {"value": 2, "string": "Extended offline"}, "lifetime_hours": 20311,
         "status": {"value": 121, "string": "Completed: read failure", "passed": False}}]}},
}  # fmt: skip

SAS: dict[str, Any] = {
    **HEAD,
    "device": {"name": "/dev/sdr", "info_name": "/dev/sdr", "type": "scsi", "protocol": "SCSI"},
    "scsi_vendor": "HARBOR",
    "scsi_product": "HS1200 K10",
    "scsi_model_name": "HARBOR HS1200 K10",
    "model_name": "HARBOR HS1200 K10",
    "scsi_revision": "0A03",
    "serial_number": "HS12K7700014A",
    "logical_unit_id": "0x5000a1b2c3d4e5f7",
    "user_capacity": {"blocks": 2344225968, "bytes": 1200243695616},
    "rotation_rate": 10520,
    "scsi_transport_protocol": {"name": "SAS (SPL-4)", "value": 6},
    "smart_status": {"passed": False, "scsi": {"asc": 93, "ascq": 16, "ie_string": "HARDWARE IMPENDING FAILURE"}},
    "temperature": {"current": 41, "drive_trip": 60},
    "scsi_grown_defect_list": 7,
    "scsi_error_counter_log": {
        "read": {"total_errors_corrected": 1420018, "total_uncorrected_errors": 2},
        "write": {"total_errors_corrected": 1, "total_uncorrected_errors": 0},
    },
    "scsi_sas_port_0": {"relative_target_port_id": 1, "phy_0": {
        "sas_address": "0x5000a1b2c3d4e5f5", "negotiated_logical_link_rate": "phy enabled; 12 Gbps"}},
}  # fmt: skip

NVME: dict[str, Any] = {
    **HEAD,
    "device": {"name": "/dev/nvme0", "info_name": "/dev/nvme0", "type": "nvme", "protocol": "NVMe"},
    "model_name": "QUARTZ Q980 1TB",
    "serial_number": "QZ98A1004417",
    "firmware_version": "4QAX21",
    "nvme_version": {"string": "1.4", "value": 66560},
    "nvme_total_capacity": 1000204886016,
    "user_capacity": {"blocks": 1875385008, "bytes": 960197124096},
    "nvme_namespaces": [
        {"id": 1, "formatted_lba_size": 512, "eui64": {"oui": 662316, "ext_id": 2712847316}},
        {"id": 2, "formatted_lba_size": 512, "eui64": {"oui": 662316, "ext_id": 2712847317}},
    ],
    "smart_status": {"passed": False, "nvme": {"value": 4}},
    "nvme_smart_health_information_log": {
        "critical_warning": 4, "temperature": 44, "percentage_used": 101, "power_on_hours": 12088,
        "media_errors": 5, "num_err_log_entries": 612, "temperature_sensors": [44, 51],
    },
}  # fmt: skip
