"""The labels that nvme-cli prints, of all versions from 0.3 to 3."""

from __future__ import annotations

CONTROLLER = frozenset((
    "acl", "acwu", "aerl", "anacap", "anagrpmax", "anatt", "apsta", "avscc", "awun", "awupf", "bl", "bpcap", "ccrl",
    "cctemp", "cdpa", "cls", "cmic", "cmmrtd", "cntlid", "cntrltype", "cqes", "cqt", "crcap", "crdt1", "crdt2",
    "crdt3", "ctratt", "ctrattr", "dctype", "domainid", "dsto", "edstt", "elpe", "endgidmax", "fcatt", "fguid", "fna",
    "fr", "frmw", "fuses", "fwug", "hctma", "health", "hirt", "hmmaxd", "hmmin", "hmminds", "hmpre", "icdoff",
    "icsvscc", "ieee", "ioccsz", "iorcsz", "ipmsr", "kas", "kpioc", "lpa", "maxcmd", "maxcna", "maxdna", "maxmrtg",
    "mcdqpc", "mcmr", "mcudmq", "mdts", "mec", "megcap", "mic_bl", "mic_fw", "minmrtg", "mn", "mnan", "mnsudmq",
    "mntmt", "mptfawr", "msdbd", "msmt", "mtfa", "mup", "mxtmt", "nanagrpid", "nlw", "nmcmr", "nmmrtd", "nn", "npss",
    "nsetidmax", "nssl", "nvmsr", "nvscc", "nwpc", "oacs", "oaes", "oaqd", "ocfs", "ofcs", "oncs", "pci_ssvid",
    "pci_vid", "pels", "plsi", "rab", "rhiri", "rpmbs", "rrls", "rtd3e", "rtd3r", "sanicap", "scap", "sgls", "sn",
    "sqes", "ss", "sstat", "ssvid", "subnqn", "tmpthha", "tnvmcap", "trattr", "unvmcap", "ver", "vid", "vwc", "vwci",
    "wctemp", "ww",
))  # fmt: skip
"""Fields of ``id-ctrl``, those of Intel's vendor part among them."""
NAMESPACE = frozenset((
    "anagrpid", "dlfeat", "dpc", "dps", "endgid", "eui64", "flbas", "fpi", "kpiodaag", "kpios", "mc", "mcl", "msrc",
    "mssrl", "nabo", "nabsn", "nabspf", "nacwu", "nawun", "nawupf", "ncap", "nguid", "nlbaf", "nmic", "noiob", "nows",
    "npda", "npdg", "npwa", "npwg", "nsattr", "nsfeat", "nsze", "nulbaf", "nuse", "nvmcap", "nvmsetid", "rescap",
))  # fmt: skip
"""Fields of ``id-ns``."""
SMART = frozenset((
    "Available Spare[0]", "Critical Composite Temperature Time", "Data Units Read", "Data Units Written",
    "Interval Power Measurement", "Interval Power Measurement Type", "NVM subsystem Reliability[2]",
    "Operational Lifetime Energy Consumed", "Persistent Mem. RO[5]", "Read-only[3]", "Temp. Threshold[1]",
    "Thermal Management T1 Total Time", "Thermal Management T1 Trans Count", "Thermal Management T2 Total Time",
    "Thermal Management T2 Trans Count", "Volatile mem. backup failed[4]", "Warning Temperature Time", "avail_spare",
    "available_spare", "available_spare_threshold", "controller_busy_time", "critical_comp_time", "critical_warning",
    "data_units_read", "data_units_written", "endurance group critical warning summary",
    "endurance_grp_critical_warning_summary", "host_read_commands", "host_write_commands",
    "interval_power_measurement", "media_errors", "num_err_log_entries", "op_lifetime_energy_consumed",
    "percent_used", "percentage_used", "pmr_ro", "power_cycles", "power_on_hours", "reliability_degraded", "ro",
    "spare_thresh", "temp_threshold", "temperature", "thm_temp1_total_time", "thm_temp1_trans_count",
    "thm_temp2_total_time", "thm_temp2_trans_count", "unsafe_shutdowns", "value", "vmbu_failed", "warning_temp_time",
))  # fmt: skip
"""Fields of ``smart-log``, text and JSON."""
LOGS = frozenset((
    "Current Completion", "Current operation", "Failing LBA", "Namespace Identifier", "Operation Result",
    "Power on hours (POH)", "Segment Number", "Self Test Code", "Status Code", "Status Code Type",
    "Valid Diagnostic Information", "Vendor Specific", "afi", "cmdid", "cs", "csi", "error_count", "frs1", "frs2",
    "frs3", "frs4", "frs5", "frs6", "frs7", "lba", "log_page_version", "nsid", "opcode", "parm_err_loc", "phase_tag",
    "sqid", "status_field", "trtype", "trtype_spec_info", "vs",
))  # fmt: skip
"""Fields of ``error-log``, ``fw-log`` and ``self-test-log``."""
