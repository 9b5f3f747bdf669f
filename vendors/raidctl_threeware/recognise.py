"""The signatures of tw_cli's outputs."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence
from raidctl.vendor.recognise import Recogniser, Signature
from raidctl_threeware.collect import KIND

_UNITS, _PORTS, _ALL = "tw_cli /cX show unitstatus", "tw_cli /cX show drivestatus", "tw_cli /cX show all"
_ENCLOSURE = "tw_cli /cX/eX show all"
_SIGNATURES = (
    # Encl    Status    or   Encl  Slots  Drives  Fans  TSUnits  PSUnits
    # Slot    Status    VPort  Identify
    Signature(
        _ENCLOSURE,
        (
            r"Encl +Status\b", r"Encl +Controllers\b", r"(?:Encl|Enclosure) +Slots +Drives\b",
            r"Slot +Status +(?:\S+ +)*Identify\b",
        ),
    ),
    # Fan     Status            State    Step  RPM   Identify
    Signature(
        _ENCLOSURE,
        (
            r"Fan +Status\b", r"TempSensor +Temperature\b", r"PowerSupply +Status +.*Identify\b",
            r"Alarm +Status +.*Audibility\b",
        ),
        confidence=None,
    ),
    # Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU
    Signature("tw_cli show", (r"Ctl +Model\b.* RRate\b",)),
    # /c0/u0 is not rebuilding, its current state is OK
    # Error: (CLI:003) Specified controller does not exist.
    # Make sure appropriate AMCC/3ware device driver(s) are loaded.
    Signature(
        _ALL,
        (
            r"/c\d{1,3}/u\d{1,4} is (?:not )?[a-z]", r".{0,34}\(CLI:", r"(?i:Make sure .{0,40}3ware .{0,20}driver)",
        ),
    ),
    # /c0/u0 Storsave Policy = balance
    # /c1 basic verify weekly preferred start: Friday 12:00am
    Signature(
        _ALL,
        (
            r"/c\d{1,3}(?:/(?:[up]\d{1,4}|bbu\d*|e\d{1,3}(?:/\w+)?|phy\d+))? +\S.*? +=(?:\s|$)",
            r"/c\d{1,3} +[a-z][^=:]{0,60}: ",
        ),
    ),
    # Unit  0: RAID 5 698.67 GB (1465184768 blocks): DEGRADED
    # Port  0: WDC WD2500JB-00GVA0 WD-WMAL00000000 233.76 GB (490234752 blocks): OK(unit 0)
    Signature("tw_cli info cX", (r"(?:Unit|Port) +\d{1,4}: \S.* \( ?\d{1,15} blocks\): [A-Z]", r"# of units: +\d")),
    Signature("tw_cli /cX show", parts=(_UNITS, _PORTS)),
    # Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy
    Signature(_UNITS, (r"Unit +UnitType +Status\b",)),
    # VPort Status         Unit Size      Type  Phy Encl-Slot    Model
    Signature(_PORTS, (r"V?Port +Status +Unit\b",)),
    # Name  OnlineState  BBUReady  Status    Volt     Temp     Hours  LastCapTest
    Signature("tw_cli /cX/bbu show", (r"Name +OnlineState +BBUReady\b",)),
    # Ctl  Date                        Severity  AEN Message
    Signature("tw_cli /cX show alarms", (r"Ctl +Date +Severity\b",), confidence=Confidence.LIKELY),
    Signature("tw_cli /cX show phy", (r"Phy +SAS(?: |-)Address +.*Device\b",)),
    Signature("tw_cli /cX show verify", (r"Slot +Day +Hour\b",), confidence=None),
    # CLI Version = 2.00.11.020       the next line is the API's; other tools print a CLI version as well
    Signature("tw_cli show ver", (r"API Version *= *[\d.]{3,20}$",)),
)  # fmt: skip

sniff = Recogniser(KIND, _SIGNATURES).sniff
