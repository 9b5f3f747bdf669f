"""A drive's link is slower than possible or than similar drives' links.

**What it checks.** Drives whose negotiated link speed is below what they support, although the controller supports
more; and drives that are slower than others of the same model on the same controller.

**Why it matters.** SAS and SATA links fall back one step (12, 6, 3, 1.5 Gbit/s) when the signal is bad: a bent pin, a
worn connector, a cable that is too long. The drive works, but the throughput of its cache or of an SSD is halved,
usually with link errors. One slow drive slows down the whole array.

**Fails** (warning) when a drive is slower than another of the same model on the same controller, or below its
capability while another drive in its enclosure runs faster; (information) when it is below its capability and no drive
beside it runs faster: usually the controller or backplane is an older model. A hard drive does not saturate 3 Gbit/s,
so from 3 Gbit/s it is information for hard drives: a hint of a bad cable.

**Passes** when it runs as fast as it can, or, if it reports no maximum, as fast as others of its model; and for a hard
drive from 3 Gbit/s if no drive beside it is faster.

**Unknown:** never. Failed drives, and drives whose link speed is not reported, are not checked.

**How to fix.** Reseat the drive, then replace the cable, then try another bay. The link error counter (`drive_errors`)
shows whether that helped.

**Example.** Fails: `link_gbps = 3` on one of four drives of one model that run at 6. Passes: all at 6.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Controller, Drive, Inventory

FINDINGS = RuleFindings("link_slow", "warning", "A drive's link is slower than it could be")
_ENOUGH_FOR_A_HARD_DRIVE = 3.0
_BEST = {"sata": 6.0}
"""Maximum of the interface. A SATA drive with 12 reports the speed of the expander."""


def check(inventory: Inventory) -> Findings:
    """One finding for each drive with a known speed. There has to be something to compare it with."""
    for controller, drive in drives(inventory):
        if drive.link_gbps is None or drive.interface in ("nvme", "virtual", "usb") or drive.status == "critical":
            continue
        alike = _fastest_alike(controller, drive)
        best = max(alike or 0.0, _can(drive))
        if not best:
            continue
        odd = _slower_than_others(controller, drive, alike)
        enough = drive.media == "hdd" and drive.link_gbps >= _ENOUGH_FOR_A_HARD_DRIVE
        if drive.link_gbps >= best:
            full = "The link runs at full speed."
            as_others = "The link is as fast as those of other drives of its model; its maximum is not reported."
            yield FINDINGS.passed(drive, full if _can(drive) else as_others)
        elif enough and not odd:
            yield FINDINGS.passed(drive, "The link is fast enough for a hard drive, and no drive beside it is faster.")
        else:
            yield _slow(drive, best, alike, odd=odd, enough=enough)


def _can(drive: Drive) -> float:
    """The highest speed that the drive reports; 0 if it reports none."""
    can = drive.max_link_gbps or 0.0
    return min(can, _BEST.get(drive.interface or "", can))


def _fastest_alike(controller: Controller, drive: Drive) -> float | None:
    """The best speed of other drives of its model on this controller."""
    speeds = [
        other.link_gbps
        for other in controller.drives
        if other.id != drive.id and other.model == drive.model and drive.model and other.link_gbps
    ]
    return max(speeds, default=None)


def _slower_than_others(controller: Controller, drive: Drive, alike: float | None) -> bool:
    """Whether a drive beside it runs faster. Another enclosure may be an older model."""
    speed = drive.link_gbps or 0.0
    beside = (
        other
        for other in controller.drives
        if other.interface == drive.interface and other.enclosure == drive.enclosure
    )
    return (alike or 0.0) > speed or any((other.link_gbps or 0.0) > speed for other in beside)


def _slow(drive: Drive, best: float, alike: float | None, *, odd: bool, enough: bool) -> Finding:
    speed = drive.link_gbps or 0.0
    than = f"others of its model run at {alike:g}" if alike and alike > speed else f"it supports {best:g}"
    return FINDINGS.failed(
        drive,
        f"The drive's link runs at {speed:g} Gbit/s, but {than}.",
        "Reseat the drive, then replace its cable, then try another bay."
        if odd
        else "Check whether the controller and the backplane support more; if not, ignore this.",
        "link_gbps max_link_gbps errors.link",
        severity="warning" if odd and not enough else "info",
        wants=("link_gbps", f"{best:g}"),
    )
