"""Short wording of the model's values, ``?`` if unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.style import Style

from raidctl.health.severity import Severity
from raidctl.model import Battery, Cache, Controller, Drive, DriveCaches, Progress, Volume, VolumeCache
from raidctl.model.write_policy import in_force
from raidctl.output.console import BAD, DULL, GOOD, PLAIN, WARN
from raidctl.text import regex
from raidctl.units import format_binary, format_decimal, format_duration, format_percent

if TYPE_CHECKING:
    from raidctl.operate.hardware_reports import BatteryState
    from raidctl.operate.spares import Spare

UNKNOWN = "?"
SEVERITY_WORDS: Mapping[Severity, str] = {"critical": "CRITICAL", "warning": "WARNING", "info": "info"}
_STYLES = {
    "ok": GOOD,
    "unknown": DULL,
    "warning": WARN,
    "rebuilding": WARN,
    "charging": WARN,
    "learning": WARN,
    "missing": WARN,
    "initializing": PLAIN,
    "expanding": PLAIN,
    "migrating": PLAIN,
    "checking": PLAIN,
}
_LOUD = frozenset({"critical", "degraded", "failed", "offline", "inactive", "warning", "rebuilding"})
_LEVELS = {"raid1t": "raid1 triple", "raid10t": "raid10 triple", "unknown": UNKNOWN}
_POLICIES = {
    "write_through": "write-through",
    "protected_write_back": "write-back",
    "unprotected_write_back": "write-back always",
    "off": "off",
}
_ACTIVE = {"write_through": "write-through", "write_back": "write-back", "off": "off"}
_READ = {"none": "no read-ahead", "read_ahead": "read-ahead", "adaptive": "adaptive read-ahead", "off": "no read cache"}
_IO = {"direct": "direct I/O", "cached": "cached I/O"}
_DRIVE_CACHES = {
    "enabled": "drive write caches on",
    "disabled": "drive write caches off",
    "default": "drive write caches at the drives' default",
}
_MOMENT = regex(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|\+00:00)")
_BRIEF = 60
"""Characters of a shortened text."""
_DANGLING = regex(r"( (?:a|an|and|at|for|in|no|of|on|or|that|the|to|with|\d+|/|&))+$")
"""Words without which a cut text ends better."""
MODES = {"raid": "RAID mode", "hba": "HBA mode", "mixed": "mixed mode", "software": "software RAID", "none": "no RAID"}


def status(word: str | None, text: str | None = None) -> tuple[str, Style]:
    """A status: lower case if good, else capitals with the tool's words."""
    if word is None or (word == "unknown" and not text):
        return UNKNOWN, DULL
    style = _STYLES.get(word, BAD)
    if word == "unknown":
        return f"{UNKNOWN} {text}", WARN
    if word not in _LOUD:
        return word, style
    same = text is None or text.strip().lower() in {word, ""}
    return (word.upper() if same else f"{word.upper()} {text}"), style


def brief(text: str) -> str:
    """The beginning of a long text. It ends with a clause if possible, else with a word."""
    if len(text) <= _BRIEF:
        return text
    head = text[:_BRIEF]
    clause = max(head.rfind(mark) for mark in (": ", "; ", ", ", ". "))
    if clause > _BRIEF // 3:
        return f"{head[:clause]}…"
    return f"{_DANGLING.sub('', head.rpartition(' ')[0]) or head}…"


def short_moment(text: str) -> str:
    """``2026-11-01 03:12 UTC``, if the text is a time in UTC by RFC 3339. Any other text is unchanged."""
    return _MOMENT.sub(r"\1 \2 UTC", text)


def decimal(size: int | None) -> str:
    """A size in decimal units, as used for drives."""
    return UNKNOWN if size is None else format_decimal(size)


def product(controller: Controller) -> str:
    """Vendor and model. A vendor that the model begins with is not repeated."""
    # ID_VENDOR_FROM_DATABASE=Broadcom / LSI
    maker, model = controller.vendor or "", controller.model or ""
    repeated = any(model.lower().startswith(name.lower()) for name in maker.split(" / "))
    return model if repeated else f"{maker} {model}".strip()


def level(volume: Volume) -> str:
    """The RAID level."""
    known = volume.raid_level or UNKNOWN
    return _LEVELS.get(known, known)


def progress(current: Progress) -> str:
    """``rebuild 45%, 1 h 20 min left``; the operation alone if the tool reports no figure; ``resync, queued``."""
    known: str = "under way" if current.operation == "unknown" else current.operation
    word = known if current.percent is None else f"{known} {format_percent(current.percent)}"
    if current.state in ("queued", "paused"):
        return f"{word}, {current.state}" + (f": {current.reason}" if current.reason else "")
    return word if current.remaining_seconds is None else f"{word}, {format_duration(current.remaining_seconds)} left"


def write_cache(cache: VolumeCache | None) -> tuple[str, Style]:
    """Configured policy, and the active one if it differs: ``back → through``."""
    if cache is None:
        return "none", DULL
    configured = _POLICIES[cache.write_policy] if cache.write_policy else UNKNOWN
    active = _ACTIVE[cache.write_active] if cache.write_active else UNKNOWN
    fulfilled = in_force(cache)
    if fulfilled or configured == active:
        return configured, PLAIN
    both = f"{configured} → {active}".replace("write-back always", "always").replace("write-", "")
    return both, PLAIN if fulfilled is None else WARN


def protected(cache: VolumeCache | None) -> tuple[str, Style]:
    """Whether unwritten data survives a power failure: ``yes``, ``NO, drives`` or ``NO, cache``, ``yes, drives ?``."""
    if cache is None:
        return UNKNOWN, DULL
    if cache.write_protected is not None:
        return ("yes", GOOD) if cache.write_protected else (f"NO, {_unprotected_part(cache)}", BAD)
    return ("yes, drives ?", PLAIN) if cache.controller_cache != "unknown" else (UNKNOWN, DULL)


def _unprotected_part(cache: VolumeCache) -> str:
    if cache.controller_cache != "unprotected":
        return "drives"
    return "both" if cache.drive_caches == "on" else "cache"


def volume_settings(volume: Volume, drives: DriveCaches = "unknown") -> tuple[str, ...]:
    """Settings of a volume except its write policy. ``drives``: the drives' caches below a software array."""
    cache = volume.cache or VolumeCache()
    parts = (
        volume.strip_bytes is not None and f"strip {format_binary(volume.strip_bytes)}",
        cache.read_policy and _READ[cache.read_policy],
        cache.io_policy and _IO[cache.io_policy],
        cache.drive_write_cache and _DRIVE_CACHES[cache.drive_write_cache],
        volume.cache is None and drives != "unknown" and f"drive write caches {drives}",
        volume.layout and f"layout {volume.layout}",
        volume.metadata and f"metadata {volume.metadata}",
        volume.consistency_policy and f"consistency by {volume.consistency_policy}",
        volume.bitmap and f"bitmap {volume.bitmap}",
    )
    return tuple(text for text in parts if text)


def members(volume: Volume) -> str:
    """``2 of 3 drives``; empty if not reported."""
    if volume.drives_active is None or volume.drives_expected is None:
        return ""
    return f"{volume.drives_active} of {volume.drives_expected} drives"


def celsius(degrees: int | None) -> str:
    """``35 °C``."""
    return UNKNOWN if degrees is None else f"{degrees} °C"


def medium(drive: Drive | Spare) -> str:
    """``sas hdd 10k``: interface, type and rpm."""
    speed = f"{drive.rpm / 1000:g}k" if drive.rpm else ""
    return " ".join(word for word in (drive.interface, drive.media, speed) if word) or UNKNOWN


def errors(drive: Drive) -> str:
    """The counters that are not zero.

    Empty unless there are media errors or the drive predicts its failure.
    """
    if not (drive.errors.media or drive.errors.predictive):
        return ""
    counters = (("media", drive.errors.media), ("other", drive.errors.other), ("predicted", drive.errors.predictive))
    return ", ".join(f"{count} {name}" for name, count in counters if count)


def cache_split(cache: Cache) -> str:
    """``25% read / 75% write = 128 MiB / 384 MiB``."""
    if cache.read_percent is None and cache.write_percent is None:
        return ""
    shares = [
        UNKNOWN if share is None else format_percent(share) for share in (cache.read_percent, cache.write_percent)
    ]
    text = f"{shares[0]} read / {shares[1]} write"
    sizes = [UNKNOWN if size is None else format_binary(size) for size in (cache.read_bytes, cache.write_bytes)]
    return text if sizes == [UNKNOWN, UNKNOWN] else f"{text} = {sizes[0]} / {sizes[1]}"


def battery_status(battery: Battery | BatteryState) -> tuple[str, Style]:
    """The state of a battery, highlighted if bad. The tool's own words are added if they are more specific."""
    word, text = battery.status, battery.status_text or ""
    style = BAD if word == "failed" else _STYLES.get(word, WARN)
    loud = word.upper() if word in _LOUD else word
    if word == "ok" or text.lower() == word:
        return loud, style
    if word == "unknown":
        return f"{UNKNOWN} {text}".rstrip(), DULL
    if text.lower().startswith(word):
        return loud + text[len(word) :], style
    return f"{loud} ({text})" if text else loud, style


def battery_facts(battery: Battery) -> tuple[str, ...]:
    """Charge, temperature, voltage, and what to do."""
    parts = (
        battery.charge_percent is not None and f"charge {format_percent(battery.charge_percent)}",
        battery.temperature_celsius is not None and celsius(battery.temperature_celsius),
        battery.voltage_volts is not None and f"{battery.voltage_volts:g} V",
        battery.replace and "REPLACE IT",
        battery.next_learn_at and f"next learn cycle {battery.next_learn_at}",
    )
    return tuple(text for text in parts if text)
