"""The sections of smartctl's text output, with their first lines and rows.

A line ``matches`` a section's rows only while that section is open; what a row does not match stays unparsed.
Rows are matched against the line without white space around it.
"""

from __future__ import annotations

import re

from raidctl.text import regex

_HEX = r"[0-9a-f]{2}"

HEADS = regex(
    "|".join(
        f"(?P<{name}>{pattern})"
        for name, pattern in {
            "information": r"=== START OF INFORMATION SECTION ===",
            "data": r"=== START OF (?:READ )?SMART DATA SECTION ===",
            "changes": r"=== START OF (?:ENABLE/DISABLE COMMANDS|OFFLINE IMMEDIATE AND SELF-TEST) SECTION ===",
            "warning": r"==> WARNING: ",
            "identify": r"=== ATA IDENTIFY DATA ===",
            "capabilities": r"General SMART Values:",
            "attributes": r"Vendor Specific SMART Attributes with Thresholds:",
            "marginal": r"Please note the following marginal Attributes:|Failed Attributes:",
            "logs": r"(?:General Purpose|SMART) Log Directory (?:Version|Logging Version|Supported)",
            "errors": r"SMART (?:Extended Comprehensive )?Error Log Version:",
            "tests": r"SMART (?:Extended )?Self-test [Ll]og",
            "selective": r"SMART Selective self-test log data structure",
            "history": r"SCT Temperature History Version:",
            "sct": r"SCT Status Version:",
            "recovery": r"SCT Error Recovery Control(?: set to)?:",
            "statistics": r"Device Statistics \((?:GP|SMART|GP/SMART) Log 0x04\)",
            "defects": r"Pending Defects log \(GP Log 0x0c\)|Pending Defects:|"
            r"Pending defect count: ?\d+ Pending Defects?\b",
            "phys": r"SATA Phy Event Counters \(GP Log 0x11\)",
            "farm": r"Seagate Field Access Reliability Metrics log \(FARM\)",
            "counters": r"Error counter log:",
            "events": r"Last n error events log page",
            "background": r"Background scan results log",
            "ports": r"Protocol Specific port log page for SAS SSP",
            "seagate": r"Vendor \(Seagate(?:/Hitachi)? ?(?:Cache)?\)(?: cache| factory)? information|"
            r"Vendor \(Seagate Cache\) information",
            "performance": r"General statistics and performance log page",
            "zones": r"Zoned block device statistics log page",
            "tape": r"(?:Device characteristics|TapeAlert|Tape Alert)(?: \(tape\))? log page|"
            r"Device statistics \(tape\) log page|Device characteristics log page|Tape device statistics",
            "format": r"Format data out:",
            "nvme_health": r"SMART/Health Information \(NVMe Log 0x02",
            "nvme_powers": r"Supported Power States$",
            "nvme_sizes": r"Supported LBA Sizes \(NSID",
            "nvme_errors": r"Error Information \(NVMe Log 0x01, (?:max )?\d+ (?:of \d+ )?entries\)",
            "nvme_tests": r"Self-test Log \(NVMe Log 0x06",
            "dump": r"(?:(?:GP|SMART|GPL|General Purpose)(?: \S+)* Log 0x|NVMe Log 0x)[0-9a-f]+ [\[(]",
        }.items()
    ),
    re.ASCII,
)
"""First lines of the sections, each under its section's name."""

_ERROR_ROWS = (
    r"(?:ER|CR|LR) +=? ?(?:ST|FEATR|[A-Z]).*",
    r"[A-Z]{2,5} += .*(?:Register|[Cc]ount|LBA|[Ll]ow|[Hh]igh|\[HEX\]).*",
    r"(?:C[RLH]|F[RE]|S[CNT]|D[HCV]|E[RE]|L[HML]|LBA\w*|COUNT|FEATR|DEV|DC|TYPE|State) += .+",
    r"=> .+|\(most recent .*",
    r"Powered_Up_Time is measured from power on, and printed as",
    r"DDd\+hh:mm:SS\.sss where DD=days, hh=hours, mm=minutes,",
    r"SS=sec, and sss=millisec\. It \"?wraps\"? after 49\.710 days\.",
    r"Error \d+ (?:\[\d+\] )?(?:occurred at disk power-on lifetime: .*|log entry is empty)",
    r"When the command that caused the error occurred, the device was .*",
    r"Commands leading to the command that caused the error were:",
    r"After command completion occurred, registers were:",
    r"(?:ER|CR) (?:--|ST|FEATR|FR) .*",
    r"--(?: [-=]+)+ *(?:  .*)?",
    rf"(?:{_HEX}|--)(?: (?:{_HEX}|--)){{5,}}(?:\s.*)?",
    r"(?:Device Fault; )?Error: [A-Z0-9, ]+(?: .*)?",
    r"Warning: ATA error count \d+ inconsistent with error log (?:index|pointer) \d+",
    r"Invalid Error Log index = .*",
    r"ATA Error Count: \d+ \(possibly also invalid\)|Device Error Count: \d+ \(possibly also invalid\)",
)
_WORDS = r"[A-Za-z][\w ,.()/:*<>%'&+-]*"

ROWS: dict[str, re.Pattern[str]] = {
    name: regex("|".join(f"(?:{pattern})" for pattern in patterns), re.ASCII)
    for name, patterns in {
        # a paragraph of smartctl's own database, up to the next blank line
        "warning": (r".+",),
        "identify": (r"Word +Value +Description", r"[. ]*\d+(?:-\d+)? .*"),
        "attributes": (
            r"ID# +ATTRIBUTE_NAME +FLAGS? +VALUE WORST THRESH .*",
            r"\|*_+ [POSRCK] +(?:prefailure warning|updated online|speed/performance|error rate|event count|auto-keep)",
        ),
        "marginal": (r"ID# +ATTRIBUTE_NAME +FLAGS? +VALUE WORST THRESH .*", r"No failed Attributes found\."),
        "logs": (
            r"SMART +Log Directory (?:Logging )?Version \d+.*",
            r"Address +Access +R/W +Size +Description",
            r"0x[0-9a-f]+(?:-0x[0-9a-f]+)? +(?:GPL,SL|GPL|SL|-)\s.*",
            r"(?:GP/S|GP|SMART)? *Log at address 0x[0-9a-f]+ has +\d+ sectors \[.*\]",
            r"GP +Ext? ?Log at address .*",
        ),
        "errors": _ERROR_ROWS,
        "tests": (
            r"Num +Test(?:_Description| ) .*",
            r"Description +number +\(hours\)",
            r"# ?\d+ +.*",
            r"\d+ of \d+ failed self-tests are outdated by newer successful extended offline self-test # ?\d+",
            r"Long \(extended\) [Ss]elf.[Tt]est duration: \d+ seconds \[.*\]",
            r"Invalid Self-test Log index = .*",
        ),
        "selective": (
            r"SPAN +(?:MIN_LBA|STARTING_LBA) +(?:MAX_LBA|ENDING_LBA) +CURRENT_TEST_STATUS",
            r"\d+ +\d+ +\d+ +\S.*",
            r"Selective self-test flags \(0x[0-9a-f]+\):",
            r"Note: revision number not 1 implies that no selective self-test has ever been run",
            r"Currently read-scanning the remainder of the disk\.",
            r"Read-scan of remainder of disk interrupted; will resume \d+ min after power-up\.",
            r"After scanning selected spans, (?:do NOT )?read-scan remainder of disk\.",
            r"If Selective self-test is pending on power-up, resume(?: test)? after \d+ minute delay\.",
        ),
        "history": (
            r"Index +Estimated Time +Temperature Celsius",
            r"\d+ +(?:\d{4}-\d\d-\d\d \d\d:\d\d|\?) +(?:-?\d+|\?) +[-*+]*",
            r"\.\.\. +\.\.\( *\d+ skipped\)\. +\.\. +[-*+]*",
            r"Temperature History is empty|(?:Error )?[Ii]nvalid Temperature History Size or Index",
        ),
        "sct": (r"(?:[0-9a-f]{2} ){7,15}[0-9a-f]{2}",),
        "recovery": (r"(?:Power-on )?(?:Read|Write): +(?:Disabled|\d+ \([\d.]+ seconds\))",),
        "statistics": (
            r"Page +Offset +Size +Value +(?:Flags +)?Description",
            r"Page +Description",
            r"(?:0x[0-9a-f]+|\d+) +(?:=+ +)+=* *.*==",
            r"(?:0x[0-9a-f]+|\d+) {1,2}[A-Z][\w /.()-]+",
            r"(?:0x[0-9a-f]+|\d+) +0x[0-9a-f]+ +[-\d]+ .*",
            r"\|+_+ [CDN~] +(?:monitored condition met|supports DSN|normalized value)|\|_ ~ normalized value",
            r"Device Statistics Log has only \S+ pages",
        ),
        "defects": (
            r"Index +LBA +Hours",
            r"\d+:? +(?:0x)?[0-9a-f]+ *,? +(?:\d+|-)",
            r"Pending defect count: *\d+ Pending Defects?.*",
            r"Pending Defects count \d+ exceeds log size .*|\.\.\. \(\d+ entries not shown\)",
        ),
        "phys": (
            r"ID +Size +Value +Description",
            r"0x[0-9a-f]{4} +\d+ +\d+\+? +.+",
            r"0x[0-9a-f]{4} +\d+: Invalid entry|\[Reserved: .*\]",
        ),
        "farm": (r"FARM Log (?:Page|Parameter) .*", rf"{_WORDS}(?:: |:$| = ).*", r"\(GP Log 0xa6\)"),
        "counters": (
            r"Errors Corrected by +Total +Correction +Gigabytes +Total",
            r"(?:EEC|ECC|EEC/ECC) +rereads/ +errors +algorithm +processed +uncorrected",
            r"fast \| delayed +rewrites +corrected +invocations +\[.*\] +errors",
        ),
        "events": (r"Error event \d+:", r"\[.*\]:?", r"[ -~]*", r"<<short Last n error events log page>>"),
        "background": (
            r"# +when +lba\(hex\) +\[sk,asc,ascq\] +reassign_status",
            r"\d+ +\d+:\d\d +[0-9a-f]{8,16} +\[[0-9a-f,]+\] +.*",
        ),
        "ports": (
            r"relative target port id = \d+",
            r"generation code = \d+|number of phys = \d+|phy identifier = \d+",
            r"attached (?:device type|reason|initiator port|target port): .*|reason: .*",
            r"attached (?:SAS address|phy identifier) = .*",
            (
                r"(?:Invalid DWORD count|Running disparity error count|Phy reset problem(?: count)?|"
                r"Loss of DWORD synchronization(?: count)?) = \d+"
            ),
            r"Phy event descriptors:",
            r"No event|[A-Z][\w ()-]+ (?:\([mu]s\)|count)(?: \([mu]s\))?: \d+|Peak value detector threshold.*: \d+",
        ),
        "seagate": (
            r"Blocks (?:sent to initiator|received from initiator|read from cache and sent to initiator) ?= \d+",
            r"Number of read and write commands whose size (?:<=|>) segment size ?= \d+",
            r"number of (?:hours powered up|minutes until next internal SMART test) = [\d.]+",
            r"Unknown Seagate(?:/Hitachi)? parameter code = ?.*|Unknown Seagate parameter code \[.*\] = .*",
        ),
        "performance": (
            (
                r"(?:General access statistics and performance|Idle time|Time interval|"
                r"Force Unit Access statistics and performance):"
            ),
            (
                r"(?:[Nn]umber of (?:read|write|logical|FUA|flush) ?[\w ]*|(?:read|write) command processing intervals|"
                r"weighted [\w ]+|Idle time intervals|Exponent|Integer): -?\d+"
            ),
            r"in (?:seconds|hours): [\d.]+",
        ),
        "zones": (rf"{_WORDS}: \d+",),
        "tape": (rf"{_WORDS}: .+", r"\[0x[0-9a-f]+\] .*", r"\[\d+\] density code: .*"),
        "format": (
            (
                r"(?:Grown defects during certification|Total blocks reassigned during format|"
                r"Total new blocks reassigned|Power on minutes since format) (?:<not available>|= \d+)"
            ),
            r"(?:[0-9a-f]{2} ?)+.*",
        ),
        "nvme_powers": (r"St Op +Max +Active +Idle +RL RT WL WT +Ent_Lat +Ex_Lat", r"\d+ [-+] +\S+W +.*"),
        "nvme_sizes": (r"Id Fmt +Data +Metadt +Rel_Perf", r"\d+ [-+] +\d+ +\d+ +\d+"),
        "nvme_errors": (
            r"Num +ErrCount +SQId +CmdId +Status +PELoc +LBA +NSID +VS(?: +Message)?",
            r"\d+ +\d+ +(?:\d+|-) +\S+ +\S+ +\S+ +\S+ +\S+ +\S+(?: .*)?",
            r"- \[\d+ unused entr(?:y|ies)\]|\.\.\. \(\d+ entries not (?:shown|read)\)",
        ),
        "nvme_tests": (
            r"Num +Test_Description +Status +Power_on_Hours +Failing_LBA +NSID(?: +Seg)? +SCT +Code",
            r"No Self-tests Logged",
        ),
        "dump": (r"[0-9a-f]{7,8}:? [0-9a-f ]+(?: .*)?", r"\*"),
    }.items()
}
"""Rows that are known and noted, per section."""
