"""A drive's link runs slower than the drive can, and slower than others beside it.

**What it looks for.** Drives whose negotiated link speed is below what they are capable of, while the controller
shows that it can do more; and drives slower than others of the same model on the same controller.

**Why.** SAS and SATA links fall back a step (12, 6, 3, 1.5 Gbit/s) when the signal is bad: a bent pin, a worn
connector, a cable that is too long. The drive works, and everything that its cache or an SSD could deliver is cut in
half; errors on the link come with it. A single slow drive holds back the whole array.

**Fails** (warning) when a drive is slower than another of the same model on the same controller, or when it is below
what it can and another drive in its enclosure runs faster. As information when it is below what it can and nothing
beside it runs faster: then the controller or backplane is mostly the older part, and that is how it was bought. A disk
does not fill 3 Gbit/s, so for disks from 3 Gbit/s on it is information: the sign of a bad cable, no more.

**Passes** when it runs as fast as it can, or as fast as its like; and a disk from 3 Gbit/s on beside which nothing is
faster.

**Cannot tell:** drives whose speed is not told are passed over; so are those that have failed.

**Remedy.** Seat the drive anew, then change the cable, then the bay. The counter of link errors (`drive_errors`) tells
whether that helped.

**Example.** Fails: `link_gbps = 3` on one of four drives of one model that run at 6. Passes: all at 6.
"""

from __future__ import annotations

from raidctl.audit.builtin._findings import Finding, Findings, RuleFindings
from raidctl.audit.builtin._queries import drives
from raidctl.model import Controller, Drive, Inventory

FINDINGS = RuleFindings("link_slow", "warning", "A drive's link is slower than it could be")
_ENOUGH_FOR_A_DISK = 3.0
_BEST = {"sata": 6.0}
"""What the interface can at all: a SATA drive that says 12 speaks of the expander."""


def check(inventory: Inventory) -> Findings:
    """One finding for each drive that tells its speed and has something to be compared with."""
    for card, drive in drives(inventory):
        if drive.link_gbps is None or drive.interface in ("nvme", "virtual", "usb") or drive.status == "critical":
            continue
        alike = _fastest_alike(card, drive)
        best = max(alike or 0.0, _can(drive))
        if not best:
            continue
        odd, enough = _odd(card, drive, alike), drive.media == "hdd" and drive.link_gbps >= _ENOUGH_FOR_A_DISK
        if drive.link_gbps >= best:
            yield FINDINGS.passed(drive, "The link runs as fast as the drive can.")
        elif enough and not odd:
            yield FINDINGS.passed(drive, "The link is fast enough for a disk, and nothing beside it is faster.")
        else:
            yield _slow(drive, best, alike, odd=odd, enough=enough)


def _can(drive: Drive) -> float:
    """What the drive says that it can; 0 when it does not say."""
    can = drive.max_link_gbps or 0.0
    return min(can, _BEST.get(drive.interface or "", can))


def _fastest_alike(card: Controller, drive: Drive) -> float | None:
    """The best speed of the other drives of its model on this controller."""
    speeds = [
        other.link_gbps
        for other in card.drives
        if other.id != drive.id and other.model == drive.model and drive.model and other.link_gbps
    ]
    return max(speeds, default=None)


def _odd(card: Controller, drive: Drive, alike: float | None) -> bool:
    """Whether something beside it runs faster: another shelf may be of an older make."""
    speed = drive.link_gbps or 0.0
    beside = (
        other for other in card.drives if other.interface == drive.interface and other.enclosure == drive.enclosure
    )
    return (alike or 0.0) > speed or any((other.link_gbps or 0.0) > speed for other in beside)


def _slow(drive: Drive, best: float, alike: float | None, *, odd: bool, enough: bool) -> Finding:
    speed = drive.link_gbps or 0.0
    than = f"others of its model run at {alike:g}" if alike and alike > speed else f"it can {best:g}"
    return FINDINGS.failed(
        drive,
        f"The drive's link runs at {speed:g} Gbit/s, but {than}.",
        "Seat the drive anew, then change its cable, then its bay."
        if odd
        else "Look whether the controller or the backplane can do more; if not, that is how it is.",
        "link_gbps max_link_gbps errors.link",
        severity="warning" if odd and not enough else "info",
        wants=("link_gbps", f"{best:g}"),
    )
