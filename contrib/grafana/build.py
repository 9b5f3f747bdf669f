"""Write ``raidctl.json``, the Grafana dashboard of the metrics of ``raidctl export --rules``.

python contrib/grafana/build.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TARGET = Path(__file__).with_name("raidctl.json")
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
HOSTS = 'instance=~"$instance"'
BAD = 'status=~"degraded|failed|offline|inactive"'
Panel = dict[str, Any]


def query(expression: str, legend: str = "", *, table: bool = False) -> Panel:
    """A target of a panel; a table shows the current values."""
    more = {"format": "table", "instant": True} if table else {"legendFormat": legend}
    return {"datasource": SOURCE, "expr": expression, **more}


def panel(kind: str, title: str, queries: Sequence[Panel], width: int, *, unit: str = "short", text: str = "") -> Panel:
    """A panel; :func:`laid_out` sets its place."""
    letters = [{**one, "refId": chr(ord("A") + number)} for number, one in enumerate(queries)]
    found: Panel = {
        "type": kind, "title": title, "description": text, "datasource": SOURCE, "targets": letters,
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []}, "gridPos": {"h": 8, "w": width},
    }  # fmt: skip
    if kind == "table":
        hidden = {"Time": True, "Value": True, "__name__": True, "job": True}
        found["transformations"] = [{"id": "organize", "options": {"excludeByName": hidden}}]
    if kind == "stat":
        steps = [{"color": "green", "value": None}, {"color": "red", "value": 1}]
        found["fieldConfig"]["defaults"]["thresholds"] = {"mode": "absolute", "steps": steps}
        found["gridPos"]["h"] = 4
    return found


def wrong() -> list[Panel]:
    """Current faults."""
    info = "* on (instance, volume) group_left (device, raid_level) raidctl_volume_info"
    drive = "* on (instance, drive) group_left (bay, serial, model) raidctl_drive_info"
    problems = f'sum(raidctl_problems{{{HOSTS}, kind=~"unread|no_tool|no_right"}}) or vector(0)'
    return [
        panel("stat", "Drives failed",
              [query(f'sum(raidctl_drive_status{{{HOSTS}, status="critical"}}) or vector(0)')], 4),
        panel("stat", "Volumes not ok", [query(f"sum(raidctl_volume_status{{{HOSTS}, {BAD}}}) or vector(0)")], 4),
        panel("stat", "Batteries bad",
              [query(f'sum(raidctl_battery_status{{{HOSTS}, status=~"degraded|failed|missing"}}) or vector(0)')], 4),
        panel("stat", "Volumes whose writes are unprotected",
              [query(f"count(raidctl_volume_write_protected{{{HOSTS}}} == 0) or vector(0)")], 4),
        panel("stat", "Not read", [query(problems)], 4, text="What could not be read may be broken."),
        panel("stat", "Oldest scan", [query(f"max(time() - raidctl_collected_timestamp_seconds{{{HOSTS}}})")], 4,
              unit="s"),
        panel("table", "Findings that no other one explains",
              [query(f'raidctl_rule_finding{{{HOSTS}, outcome="fail", severity=~"critical|warning", because=""}} == 1',
                     table=True)], 24, text='"raidctl diagnose --explain RULE" explains a rule.'),
        panel("table", "Volumes not ok",
              [query(f'(raidctl_volume_status{{{HOSTS}, status!~"ok|checking"}} == 1) {info}', table=True)], 12),
        panel("table", "Drives not ok",
              [query(f'(raidctl_drive_status{{{HOSTS}, status!="ok"}} == 1) {drive}', table=True)], 12),
    ]  # fmt: skip


def caches() -> list[Panel]:
    """Caches and batteries."""
    lost = (
        f'raidctl_volume_write_active{{{HOSTS}, mode="write_back"}} == 0 and on (instance, volume) '
        'raidctl_volume_write_policy{policy=~"(un)?protected_write_back"} == 1'
    )
    return [
        panel("table", "Write-back is configured, and not active", [query(lost, table=True)], 12),
        panel("timeseries", "Battery charge",
              [query(f"raidctl_battery_charge_ratio{{{HOSTS}}}", "{{instance}} {{battery}}")], 12, unit="percentunit"),
        panel("timeseries", "Volumes with active write-back",
              [query(f'sum by (instance) (raidctl_volume_write_active{{{HOSTS}, mode="write_back"}})', "{{instance}}")],
              12),
        panel("timeseries", "Share of the cache for reads",
              [query(f"raidctl_cache_read_ratio{{{HOSTS}}}", "{{instance}} {{controller}}")], 12, unit="percentunit"),
    ]  # fmt: skip


def drives() -> list[Panel]:
    """Drives and background operations."""
    return [
        panel("timeseries", "Media errors",
              [query(f"instance:raidctl_drive_media_errors:sum{{{HOSTS}}}", "{{instance}}")], 12),
        panel("timeseries", "Drives by state",
              [query(f"sum by (status) (instance_status:raidctl_drives:sum{{{HOSTS}}})", "{{status}}")], 12),
        panel("timeseries", "Hottest drive", [query(f"max by (instance) (raidctl_drive_temperature_celsius{{{HOSTS}}})",
                                                    "{{instance}}")], 12, unit="celsius"),
        panel("timeseries", "Endurance used (SSD)",
              [query(f"raidctl_drive_life_used_ratio{{{HOSTS}}}", "{{instance}} {{drive}}")], 12, unit="percentunit"),
        panel("timeseries", "Background operations",
              [query(f"raidctl_volume_operation_progress_ratio{{{HOSTS}}}", "{{instance}} {{volume}} {{operation}}")],
              12, unit="percentunit"),
        panel("timeseries", "Time left of background operations",
              [query(f"raidctl_volume_operation_remaining_seconds{{{HOSTS}}}", "{{instance}} {{volume}}")], 12,
              unit="s"),
    ]  # fmt: skip


def laid_out(rows: Sequence[tuple[str, Sequence[Panel]]]) -> list[Panel]:
    """Rows with their panels from left to right. Each panel has its place and number."""
    found: list[Panel] = []
    top = 0
    for title, panels in rows:
        found.append({"type": "row", "title": title, "collapsed": False, "panels": [],
                      "gridPos": {"h": 1, "w": 24, "x": 0, "y": top}})  # fmt: skip
        top, left, height = top + 1, 0, 0
        for one in panels:
            place = one["gridPos"]
            if left + place["w"] > 24:
                top, left, height = top + height, 0, 0
            found.append({**one, "gridPos": {**place, "x": left, "y": top}})
            left, height = left + place["w"], max(height, place["h"])
        top += height
    return [{"id": number, **one} for number, one in enumerate(found, 1)]


def dashboard() -> dict[str, Any]:
    """The whole dashboard."""
    variables = [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
        {"name": "instance", "type": "query", "datasource": SOURCE, "label": "Machine", "multi": True,
         "includeAll": True, "allValue": ".*", "refresh": 2, "current": {"text": "All", "value": "$__all"},
         "query": {"query": "label_values(raidctl_collected_timestamp_seconds, instance)", "refId": "instance"}},
    ]  # fmt: skip
    rows = [("What is wrong now", wrong()), ("Caches and batteries", caches()), ("Drives", drives())]
    return {
        "uid": "raidctl", "title": "RAID (raidctl)", "tags": ["raid", "storage"], "schemaVersion": 36, "version": 1,
        "editable": True, "refresh": "5m", "time": {"from": "now-7d", "to": "now"}, "timezone": "browser",
        "templating": {"list": variables}, "annotations": {"list": []}, "panels": laid_out(rows),
    }  # fmt: skip


def text() -> str:
    """The dashboard as its file."""
    return json.dumps(dashboard(), indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
