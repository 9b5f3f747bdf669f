"""Lines of smartctl without facts: titles, legal text, explanations, plain refusals.

Whole lines are compared with every figure and hexadecimal number replaced by ``#`` and runs of blanks made one.
"""

from __future__ import annotations

import re

from raidctl.text import collapse, regex

_FIGURE = regex(r"0x[0-9a-f]+|\d+", re.ASCII)

_CAPABILITY_TEXTS = (
    "Offline data collection status: (#) Offline data collection activity was never started.",
    "Offline data collection activity was completed without error.",
    "Offline data collection activity is in progress.",
    "is in a Reserved state. was suspended by an interrupting command from host.",
    "was aborted by an interrupting command from host. was aborted by the device with a fatal error.",
    "is in a Vendor Specific state. Auto Offline Data Collection: Enabled.",
    "Auto Offline Data Collection: Disabled.",
    (
        "Self-test execution status: ( #) The previous self-test routine completed without error or no self-test has"
        " ever been run."
    ),
    "Self-test execution status: (#) The self-test routine was aborted by the host.",
    "Self-test execution status: (#) The self-test routine was interrupted by the host with a hard or soft reset.",
    (
        "Self-test execution status: (#) A fatal error or unknown test error occurred while the device was executing"
        " its self-test routine and the device was unable to complete the self-test routine."
    ),
    (
        "Self-test execution status: (#) The previous self-test completed having a test element that failed and the"
        " test element that failed is not known."
    ),
    "The previous self-test completed having the electrical element of the test failed.",
    "The previous self-test completed having the servo (and/or seek) element of the test failed.",
    "The previous self-test completed having the read element of the test failed.",
    (
        "The previous self-test completed having a test element that failed and the device is suspected of having"
        " handling damage."
    ),
    (
        "The previous self-test routine completed with unknown result or self-test in progress with less than #%"
        " remaining."
    ),
    "Self-test execution status: ( #) Self-test routine in progress... #% of test remaining. (#) Reserved.",
    "Self-test execution status: ( #) The previous self-test completed having",
    "Self-test execution status: ( #) A fatal error or unknown test error",
    "Self-test execution status: ( #) The self-test routine was aborted by",
    "Self-test execution status: ( #) The self-test routine was interrupted",
    "Total time to complete Offline data collection: ( #) seconds. data collection: (#) seconds.",
    (
        "Offline data collection capabilities: (#) SMART execute Offline immediate. capabilities: (#) Offline data"
        " collection not supported. capabilities: (#) No SMART execute Offline immediate."
    ),
    "Auto Offline data collection on/off support. No Auto Offline data collection support.",
    "Automatic timer ON/OFF support. NO Automatic timer ON/OFF support.",
    "Abort Offline collection upon new command. Suspend Offline collection upon new command.",
    (
        "Offline surface scan supported. No Offline surface scan supported. Self-test supported. No Self-test"
        " supported. Conveyance Self-test supported. No Conveyance Self-test supported."
    ),
    "Selective Self-test supported. No Selective Self-test supported.",
    "SMART capabilities: (#) Saves SMART data before entering power-saving mode.",
    "SMART capabilities: (#) Does not save SMART data before entering power-saving mode.",
    "SMART capabilities: (#) Automatic saving of SMART data is not implemented. Supports SMART auto save timer.",
    (
        "Error logging capability: (#) Error logging supported. Error logging capability: (#) Error logging NOT"
        " supported. General Purpose Logging supported. No General Purpose Logging support."
    ),
    "Short self-test routine recommended polling time: ( #) minutes. recommended polling time: (#) minutes.",
    "Extended self-test routine recommended polling time: Not Supported. Conveyance self-test routine",
    "SCT capabilities: (#) SCT Status supported. SCT Error Recovery Control supported.",
    "SCT Feature Control supported. SCT Data Table supported. SCT Data Table supported.",
)

CAPABILITIES = " ".join(_CAPABILITY_TEXTS)
"""The table of capabilities. A line can be any part of this text, as mailers wrap the lines."""

WHOLE = frozenset(
    (
        "SMART/Health Information (NVMe Log #, NSID #)", "SMART/Health Information (NVMe Log #)",
        "No Errors Logged", "No Self-tests Logged", "No Defects Logged", "All counters reset",
        "No self-tests have been logged. [To run self-tests, use: smartctl -t]", "No self-tests have been logged",
        "No Self-tests have been logged", "No Self-tests have been logged [To run self-tests, use: smartctl -t]",
        "See vendor-specific Attribute list for marginal Attributes.",
        "See vendor-specific Attribute list for failed Attributes.",
        "No failed Attributes found.",
        "SMART Error Log not supported", "SMART Self-test Log not supported", "SMART Self-test log not supported",
        "Error Counter logging not supported", "Device does not support Self Test logging",
        "Device does not support Error Logging", "Device does not support Selective Self Tests/Logging",
        "Selective Self-tests/Logging not supported", "Log Directory Supported",
        "General Purpose Log Directory not supported", "SCT Commands not supported",
        "SCT Commands not supported if ATA Security is LOCKED", "SCT Data Table command not supported",
        "SCT Feature Control command not supported",
        "Device Statistics (GP Log #) not supported", "Device Statistics (GP/SMART Log #) not supported",
        "Pending Defects log (GP Log #) not supported", "SATA Phy Event Counters (GP Log #) not supported",
        "Pending Defects log (GP Log #) supported [please try: '-l defects']",
        "SMART Extended Comprehensive Error Log (GP Log #) not supported",
        "SMART Extended Self-test Log (GP Log #) not supported", "Self-tests not supported",
        "SMART Extended Comprehensive Error Log size # not supported",
        "SMART Extended Self-test Log size # not supported", "SATA Phy Event Counters with # sectors not supported",
        "Try '-l [xerror,]error' to read traditional SMART Error Log",
        "Try '-l [xselftest,]selftest' to read traditional SMART Self Test Log",
        "Seagate FARM log (GP Log #) supported [try: -l farm]", "Seagate FARM log supported [try: -l farm]",
        "FARM log (GP Log #) not supported", "FARM log (SCSI Log page #, sub-page #) not supported",
        "FARM log (GP Log #) not supported for non-Seagate drives",
        "The above only provides legacy SMART information - try 'smartctl -x' for more",
        "(override with '-T permissive' option)", "Only support protocol specific log page on SAS devices",
        "Device does not support Background scan results logging", "TapeAlert Supported", "TapeAlert Not Supported",
        "Device does not support General statistics and performance logging", "No error events logged",
        "Device does not support TapeAlert logging", "Device does not support Zoned block device statistics logging",
        "TapeAlerts only printed if active, so none printed is good",
        "Error Information (NVMe Log #) not supported (guessed, override with '-l error,#')",
        "Retrying with a # byte Standard Inquiry", "Write SCT (Get) XXX Error Recovery Control Command failed",
        "=======> INVALID ARGUMENT TO -l: #", "Use smartctl -h to get a usage summary",
        "ATA device successfully opened", "SCSI device successfully opened", "NVMe device successfully opened",
        "Use 'smartctl -a' (or '-x') to print SMART (and more) information",
        "Detected SAT interface, switch to device type 'sat'", "Protocol Specific port log page for SAS SSP",
        "Probable ATA device behind a SAT layer", "Try an additional '-d ata' or '-d sat' argument.",
        "Checking for SMART support: Show SMART support", "Checking to be sure by trying SMART RETURN STATUS command.",
        "Enabled status cached by OS, trying SMART RETURN STATUS cmd.", "SMART Enabled.", "SMART Disabled.",
        "SMART Attribute Autosave Enabled.", "SMART Attribute Autosave Disabled.", "Log Sense for supported pages",
        "SMART Automatic Offline Testing Enabled every four hours.", "SMART Automatic Offline Testing Disabled.",
        "This is a known drive", "We will try to proceed in spite of this.", ("SMART Disabled. Use option -s with"
        " argument 'on' to enable it."), "Read defect list: asked for grown list but didn't get it",
        "device is NOT READY (e.g. no tape)", "NO tape present in drive", "device becoming ready (wait)",
        "Test has begun.", "Use smartctl -X to abort test.", "Use smartctl -X to abort test", "Testing has begun.",
        "Vital Product Data (VPD) bit ignored in INQUIRY", "Vital Product Data (VPD) INQUIRY failed [#]",
        "Host aware zoned block capable", "Device managed zoned block capable", ("Format status indicates no format"
        " since manufacture"), "Formatted with type # protection", "Formatted with unknown protection type [#]",
        "# bytes of protection information per logical block", "LU is fully provisioned", ("LU is fully provisioned"
        " [LBPRZ=#]"), "LU is resource provisioned, LBPRZ=#", "LU is thin provisioned, LBPRZ=#",
        "# protection information intervals per logical block", "Logical block provisioning enabled, LBPRZ=#",
        "LU provisioning type reserved [#], LBPRZ=#", "rcap_# sets LBPME but no LB provisioning VPD page",
        "Manufactured in week # of year", "Short INQUIRY response, skip product id", "TapeAlert: OK",
        "Informational Exceptions (SMART) enabled", "Informational Exceptions (SMART) disabled",
        "Temperature warning enabled", "Temperature warning disabled", "Temperature Warning Enabled",
        "Temperature Warning Disabled or Not Supported", "Temperature Warning Not Supported",
        "or from the SCSI to ATA translation layer", "Log Directories not read due to '-F nologdir' option",
        "If this is a USB connected device, look at the various --device=TYPE variants",
        "Read GP Log Directory failed", "SCSI device successfully opened Use 'smartctl -a' (or '-x')",
        "please note that this is a known issue", "Power-on is not counted", ("An optional SMART command failed:"
        " exiting. Remove '-T conservative' option to continue."), "Please specify device type with the -d option.",
        "A mandatory SMART command failed: exiting. To continue, add one or more '-T permissive' options.",
        "you may need to replace /dev/sdX with /dev/twlN, /dev/twaN or /dev/tweN",
        "you may also need to change device to /dev/twaN or /dev/tweN", "please try adding '-d #ware,N'",
    )
)  # fmt: skip
"""Whole lines."""

STARTS = (
    "smartctl version ", "smartctl pre-", "Copyright (C) 2002-", "smartctl comes with ABSOLUTELY NO WARRANTY",
    "Home page is http", "This is free software, and you are", "Log Sense for supported pages",
    "SMART WRITE LOG does not", "This firmware ", "see the following web page", "Read defect list (1",
    "Long (extended) Self Test duration", "Long (extended) Self-test duration", "Solid state media ",
    "Self Test returned ", "Self-test Log Sense", "Self-test has begun", "StartStop Log Sense", "scsiPrint", "scsiGet",
    "scsiMode", "TapeAlerts Log Sense", "Seagate Cache Log Sense", "Seagate/Hitachi Factory Log Sense",
    "Background scan results Log Sense", "Protocol specific ", "Protocol Specific ", "Pending Defects ",
    "SCT (Get) Error Recovery Control", "SCT (Set) Error Recovery Control", "Retry with: 'scterc",
    "Read SCT ", "SCT Data Table", "Read SMART Selective", "Read SMART Extended", "Read SATA Phy", "Read Pending",
    "Read Device Statistics page", "Device Statistics page", "[GLTSD (Global Logging Target Save Disable) set.",
    "Warning: device does not support ", "Warning: ATA Specification requires ", "SMART Status not supported:",
    "CHECK POWER MODE", "CHECK POWER STATUS",
    "Grown defects during certification",
    "Total blocks reassigned during format", "Total new blocks reassigned", "Power on minutes since format",
    "SMART Log Directory Logging", "unable to fetch IEC",
    "Environmental Reports ", "defect list format ", "Grown defect list length=", "Vendor (Seagate",
    "To view the ", "smartctl database", "Use 'smartctl", "(build date", "Terminate command early", ">> Terminate",
    ">>>> log truncated, fetched ",
    "Read Error Information Log failed", "Read Self-test Log failed", "Read NVMe Log", "NVMe Self-test cmd",
    "Please note the following", "Failed Attributes", "Elements in grown defect list", "Write cache SCT",
    "Please wait ", "Test will complete after", "Estimated completion time", "Sending command:", "Testing has begun",
    'Drive command "', "Can't start self-test without", "Write cache ", "Read cache ", "Read look-ahead ",
    "AAM set to level", "APM set to level", "AAM disabled", "APM disabled", "Standby timer set", "DSN ",
    "Write SCT ", "Error unknown SCT", "Error unexpected SCT", "Another SCT command", "SMART READ LOG ",
    "ATA READ LOG ", "Please get assistance from ", "Register values returned from ", "ERR=0x", "Values from ATA ",
    "=======> VALID ",
    "Write cache reordering", "SCT Feature Control of write cache", "Temperature Logging Interval set",
    "ATA Security set to frozen", "Device placed in ", "Autosave ", "Enable autosave", "Disable autosave",
    "SMART Enable ", "SMART Disable ", "Extended Background Self Test", "Short Background Self Test",
    "Extended Foreground Self Test", "Short Foreground Self Test", "Default Self Test",
)  # fmt: skip
"""Beginnings of lines that end in error text or useless sentences. The error texts are those of the system."""

FAILURE_EXPECTED = regex(r"Drive failure expected in less than \d{1,4} hours", re.ASCII)
"""``Drive failure expected in less than 24 hours. SAVE ALL DATA.``, printed below the verdict ``FAILED!`` of ATA."""

BANNER = regex(r"smartctl (?:version |pre-)?\d+\.\d+\S*(?: |$)", re.ASCII)
"""The first line of every output: ``smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)``."""

PROMPT = regex(
    r"(?:.*?[#$>%+]\s*)?(?:sudo\s+(?:-\S+\s+)*)?(?:\S*/)?smartctl(?:\.exe)?(?P<arguments>\s+-.*|\s+/dev/\S+.*)",
    re.ASCII,
)
"""A shell's line with the command that printed what follows."""


def known(text: str) -> bool:
    """Whether a line (without white space around it) is one of these."""
    if text.startswith(STARTS):
        return True
    plain = _FIGURE.sub("#", collapse(text))
    return plain in WHOLE


def capability(text: str) -> bool:
    """Whether a line is a piece of the table of capabilities."""
    plain = _FIGURE.sub("#", collapse(text)).replace("( #", "(#")
    return len(plain) > 3 and plain in _CAPABILITIES


_CAPABILITIES = CAPABILITIES.replace("( #", "(#")
