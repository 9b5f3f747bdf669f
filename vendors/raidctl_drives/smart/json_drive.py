"""One drive in smartctl's JSON."""

from __future__ import annotations

import json

from raidctl.evidence import Line, mark_read
from raidctl.text import attempt, collapse
from raidctl_drives.smart import json_labels, messages, numbers, scan
from raidctl_drives.smart.draft import Attribute, SmartDraft, failed_now
from raidctl_drives.smart.health import conclude_health
from raidctl_drives.smart.json_tree import Leaves, branch, leaf_value, number, words
from raidctl_drives.smart.label_lines import report_unreadable
from raidctl_drives.smart.labels import TRANSPORTS
from raidctl_drives.smart.rows import has_passed

_COUNTS = (
    (("nvme_smart_health_information_log", "percentage_used"), "life_used_percent", 255),
    (("scsi_percentage_used_endurance_indicator",), "life_used_percent", 255),
    (("endurance_used", "current_percent"), "life_used_percent", 255),
    (("scsi_grown_defect_list",), "errors.reallocated", 1 << 32),
)
_SCSI_TESTS = 20
_FAILED_NVME, _FAILED_SCSI = (5, 6, 7), (3, 4, 5, 6, 7)
"""Results of self-tests that found a fault."""
_FAILING, _BELOW_THRESHOLD, _ERRORS_LOGGED, _TEST_FAILED = 8, 16, 64, 128
"""Bits of smartctl's exit status about the drive. 32 is a threshold that was reached in the past."""


def read_drive(draft: SmartDraft, leaves: Leaves) -> None:
    """Read all of one drive's JSON."""
    for path, line in leaves.items():
        _leaf(draft, path, line)
    _device(draft, leaves)
    _verdict(draft, leaves)
    _rotation(draft, leaves)
    _world_wide_name(draft, leaves)
    _interface(draft, leaves)
    _speed(draft, leaves)
    _attributes(draft, leaves)
    _counters(draft, leaves)
    _counts(draft, leaves)
    _messages(draft, leaves)
    _statistics(draft, leaves)
    _error_log(draft, leaves)
    failed = _tests(draft, leaves)
    _exit_status(draft, leaves, test_failed=failed)
    conclude_health(draft)


def _leaf(draft: SmartDraft, path: str, line: Line) -> None:
    value = leaf_value(line)
    if path in json_labels.TEXTS:
        name, rank = json_labels.TEXTS[path]
        text = words(value)
        if text:
            draft.offer(line, name, collapse(text) if name == "model" else text, rank=rank, label=path)
        else:
            mark_read(line)
    elif path in json_labels.NUMBERS:
        name, rank, low, high = json_labels.NUMBERS[path]
        figure = number(value)
        if figure is not None and low <= figure < high:
            draft.offer(line, name, figure, rank=rank, label=path if rank < 2 else None)
        else:
            draft.detail(line, path, str(value))
            if value not in (None, 0):
                report_unreadable(draft, path, value)
    elif path == "write_cache.enabled" and isinstance(value, bool):
        draft.offer(line, "write_cache", "enabled" if value else "disabled")
    elif json_labels.DETAILS.fullmatch(path):
        draft.detail(line, path, value if isinstance(value, str) else json.dumps(value))
    elif json_labels.NOTED.fullmatch(path):
        mark_read(line)


def _device(draft: SmartDraft, leaves: Leaves) -> None:
    node = leaves.line("device.name")
    if node:
        draft.found_at(node, words(leaves.value("device", "name")))
    draft.kind = words(leaves.value("device", "type"))
    kind, name, protocol = (str(leaves.value("device", part) or "") for part in ("type", "info_name", "protocol"))
    line = leaves.line("device.type")
    interface = scan.interface_of(kind, name, protocol)
    if interface and line:
        draft.offer(line, "interface", interface, rank=3 if interface == "usb" else 1)
    if protocol == "NVMe" and line:
        draft.offer(line, "media", "ssd", rank=1)


def _verdict(draft: SmartDraft, leaves: Leaves) -> None:
    line = leaves.line("smart_status.passed")
    passed = leaves.value("smart_status", "passed")
    health = draft.health
    if line and isinstance(passed, bool):
        # The words are those that the text output has for it
        sense = words(leaves.value("smart_status", "scsi", "ie_string"))
        scsi = leaves.value("device", "protocol") == "SCSI"
        health.verdict = (("OK" if scsi else "PASSED") if passed else sense) or "FAILED!"
        health.scsi = sense is not None and not passed
        health.verdict_line = line
    log, status = "nvme_smart_health_information_log", "smart_status"
    for path in ((log, "critical_warning"), (status, "nvme", "value")):
        line, warning = _counted(draft, leaves, path, 0xFF)
        if warning is not None and line and (health.critical_warning is None or warning > health.critical_warning):
            health.critical_warning, health.warning_line = warning, line


def _rotation(draft: SmartDraft, leaves: Leaves) -> None:
    line = leaves.line("rotation_rate")
    rate = number(leaves.value("rotation_rate"))
    if line and rate == 0:
        draft.offer(line, "media", "ssd", rank=2)
    elif line and rate is not None and rate > 1:
        draft.offer(line, "media", "hdd", rank=2)
        draft.offer(line, "rpm", rate)


def _world_wide_name(draft: SmartDraft, leaves: Leaves) -> None:
    line = leaves.line("wwn.id")
    naa, oui, own = (number(leaves.value("wwn", part)) for part in ("naa", "oui", "id"))
    if line and naa and oui is not None and own is not None:
        draft.offer(line, "wwn", f"{naa:x} {oui:06x} {own:09x}")  # as the text output prints it
    spaces = leaves.value("nvme_namespaces")
    for index, space in enumerate(spaces if isinstance(spaces, list) else []):
        line = leaves.line(f"nvme_namespaces[{index}].eui64.ext_id")
        oui, own = (number(branch(space, "eui64", part)) for part in ("oui", "ext_id"))
        if line and oui is not None and own and draft.get("wwn") is None:
            draft.offer(line, "wwn", f"{oui:06x} {own:010x}")


def _interface(draft: SmartDraft, leaves: Leaves) -> None:
    # "sata_value" occurs only in the speeds of a SATA link
    line = leaves.line("sata_version.string") or leaves.line("interface_speed.max.sata_value")
    if line:
        draft.offer(line, "interface", "sata", rank=2)
    line = leaves.line("nvme_version.string") or leaves.line("nvme_smart_health_information_log.critical_warning")
    if line:
        draft.offer(line, "interface", "nvme", rank=1)
        draft.offer(line, "media", "ssd", rank=1)
    line = leaves.line("scsi_transport_protocol.name")
    name = leaves.value("scsi_transport_protocol", "name")
    if line and isinstance(name, str):
        interface = next((word for pattern, word in TRANSPORTS if pattern.search(name)), None)
        if interface:
            draft.offer(line, "interface", interface, rank=2)


def _speed(draft: SmartDraft, leaves: Leaves) -> None:
    line = leaves.line("interface_speed.current.string")
    text = leaves.value("interface_speed", "current", "string")
    speed = attempt(numbers.gbps, text) if isinstance(text, str) else None
    if line and speed is not None:
        draft.offer(line, "link_gbps", speed, rank=1)
    line = leaves.line("interface_speed.max.string")
    text = leaves.value("interface_speed", "max", "string")
    speed = attempt(numbers.gbps, text) if isinstance(text, str) else None
    if line and speed is not None:
        draft.offer(line, "max_link_gbps", speed)
    for path, leaf in leaves.items():
        if path.startswith("scsi_sas_port_") and path.endswith("negotiated_logical_link_rate"):
            text = leaf_value(leaf)
            speed = attempt(numbers.gbps, text) if isinstance(text, str) else None
            if speed is not None:
                draft.offer(leaf, "link_gbps", speed)
                draft.offer(leaf, "interface", "sas", rank=1)


def _attributes(draft: SmartDraft, leaves: Leaves) -> None:
    table = leaves.value("ata_smart_attributes", "table")
    if not isinstance(table, list):
        if "ata_smart_attributes" in leaves.tree:
            draft.report("smartctl's JSON has no table in ata_smart_attributes.", kind="unread")
        return
    for index, row in enumerate(table):
        at = f"ata_smart_attributes.table[{index}].raw"
        line = leaves.line(f"{at}.string") or leaves.line(f"{at}.value")
        which, name, raw = branch(row, "id"), words(branch(row, "name")), branch(row, "raw", "string")
        if line is None or not isinstance(which, int) or name is None:
            draft.report(f"Row {index + 1} of the table in ata_smart_attributes is not understood.", kind="unread")
            continue
        raw = collapse(raw) if isinstance(raw, str) else str(branch(row, "raw", "value"))
        failed = str(branch(row, "when_failed") or "")
        prefail = branch(row, "flags", "prefailure") is True
        value, threshold = number(branch(row, "value")), number(branch(row, "thresh"))
        if failed not in ("", "now", "past"):
            draft.report(f"The word {failed[:40]!r} for a failure of the attribute {name} is unknown.", kind="unread")
        failed = failed if failed in ("now", "past") else failed_now(value, threshold)
        draft.attributes[which, name] = Attribute(line, which, name, raw, prefail, failed, value)
        draft.detail(line, name if name not in draft.details else f"{name} ({which})", raw)


def _counters(draft: SmartDraft, leaves: Leaves) -> None:
    for what in ("read", "write", "verify"):
        path = ("scsi_error_counter_log", what, "total_uncorrected_errors")
        line, count = _counted(draft, leaves, path)
        if line and count is not None:
            draft.counters.append((line, count))


def _counts(draft: SmartDraft, leaves: Leaves) -> None:
    """Read counts that are details as well."""
    for path, name, highest in _COUNTS:
        line, count = _counted(draft, leaves, path, highest)
        if line and count is not None:
            draft.offer(line, name, count)
    for log in ("ata_pending_defects_log", "scsi_pending_defects"):
        line, count = _counted(draft, leaves, (log, "count"), (1 << 32) - 1)
        if line and count is not None:
            draft.defects.append((line, count))


def _counted(
    draft: SmartDraft, leaves: Leaves, path: tuple[str, ...], highest: int = 1 << 64
) -> tuple[Line | None, int | None]:
    """A count and its line. One that is not a number, or makes no sense, is reported."""
    name = ".".join(path)
    line, value = leaves.line(name), leaves.value(*path)
    count = number(value)
    if count is not None and 0 <= count <= highest:
        return line, count
    if line is not None or value is not None:
        report_unreadable(draft, name, value)
    return line, None


def _messages(draft: SmartDraft, leaves: Leaves) -> None:
    found = leaves.value("smartctl", "messages")
    for message in found if isinstance(found, list) else []:
        text = words(branch(message, "string"))
        if text and not messages.read(draft, text):
            serious = branch(message, "severity") == "error"
            kind, severity = ("unread", "warning") if serious else ("note", "info")
            draft.report(f"smartctl reports: {text}", kind=kind, severity=severity)  # type: ignore[arg-type] # the pair above
    if leaves.value("smart_support", "enabled") is False and leaves.value("smart_support", "available"):
        draft.report("SMART is disabled on the drive.", remedy="Enable it: smartctl -s on.", severity="info")


def _statistics(draft: SmartDraft, leaves: Leaves) -> None:
    """Read the device statistics of ATA drives."""
    pages = leaves.value("ata_device_statistics", "pages")
    for page, node in enumerate(pages if isinstance(pages, list) else []):
        table = branch(node, "table")
        for index, row in enumerate(table if isinstance(table, list) else []):
            line = leaves.line(f"ata_device_statistics.pages[{page}].table[{index}].value")
            name, count = words(branch(row, "name")), number(branch(row, "value"))
            if line and name and count is not None and branch(row, "flags", "valid") is not False:
                draft.statistics.setdefault(name, (line, count))


def _error_log(draft: SmartDraft, leaves: Leaves) -> None:
    """Read ATA's log of errors: the extended one, or the summary of drives without it."""
    for form in ("extended", "summary"):
        draft.error_log.total = max(
            draft.error_log.total, number(leaves.value("ata_smart_error_log", form, "count")) or 0
        )
        table = leaves.value("ata_smart_error_log", form, "table")
        for row in table if isinstance(table, list) else []:
            which = number(branch(row, "error_number"))
            if which is not None:
                draft.error_log.note(which, words(branch(row, "error_description")) or "")


def _exit_status(draft: SmartDraft, leaves: Leaves, *, test_failed: bool) -> None:
    """Report what only smartctl's exit status shows. The output lacks the table that explains it."""
    failing = leaves.value("smart_status", "passed") is False
    explained = {
        _FAILING: ("a failing drive", failing),
        _BELOW_THRESHOLD: ("an attribute that has reached its threshold",
                           failing or any(row.failed == "now" for row in draft.attributes.values())),
        _ERRORS_LOGGED: ("errors in the drive's error log",
                         draft.error_log.total or leaves.value("nvme_error_information_log")),
        _TEST_FAILED: ("a failed self-test", test_failed),
    }  # fmt: skip
    status = number(leaves.value("smartctl", "exit_status")) or 0
    for bit, (what, shown) in explained.items():
        if status & bit and not shown:
            draft.report(
                f"smartctl's exit status reports {what}, its output does not.", kind="unread",
                remedy="Run smartctl -x on the drive and check its output.",
            )  # fmt: skip


def _tests(draft: SmartDraft, leaves: Leaves) -> bool:
    """Read the logs of self-tests, each with the newest first. Returns whether one of them failed."""
    failed = False
    draft.test_status = number(leaves.value("ata_smart_data", "self_test", "status", "value")) or 0
    tables = [leaves.value("ata_smart_self_test_log", form, "table") for form in ("extended", "standard")]
    scsi = [leaves.value(f"scsi_self_test_{place}") for place in range(_SCSI_TESTS)]
    for table in (*tables, leaves.value("nvme_self_test_log", "table"), scsi):
        draft.tests = []  # the two logs of ATA have the same tests
        for row in table if isinstance(table, list) else ():
            if row is not None:
                failed |= _test(draft, row)
    return failed


def _test(draft: SmartDraft, row: object) -> bool:
    """Add a self-test. Returns whether it failed."""
    # "type": {"string": "Short offline"}, "status": {"string": "Completed: read failure"}       ATA
    # "self_test_code": {"string": "Extended"}, "self_test_result": {"value": 7, "string": "…"}   NVMe
    # "code": {"string": "Background long"}, "result": {"value": 0, "string": "Completed"}        SCSI
    kinds = (words(branch(row, name, "string")) for name in ("type", "self_test_code", "code"))
    ata, result = branch(row, "status"), branch(row, "self_test_result") or branch(row, "result")
    draft.tested |= ata is not None
    shown = words(branch(ata or result, "string")) or ""
    ended = number(branch(result, "value"))
    failed = ended in (_FAILED_NVME if branch(row, "self_test_result") else _FAILED_SCSI)
    passed = False if failed else has_passed(shown)
    draft.add_test(next(filter(None, kinds), ""), shown, passed=passed)
    return passed is False
