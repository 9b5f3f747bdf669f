"""Outputs of storcli about a controller and its battery. They follow the format and are of no real machine."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl.evidence import Output
from raidctl.model import Problem
from raidctl.vendor.draft import Draft
from raidctl_megaraid.draft import ControllerDraft, Controllers
from raidctl_megaraid.storcli.controller import read_controller
from raidctl_megaraid.storcli.failure import failures
from raidctl_megaraid.storcli.from_json import from_json
from raidctl_megaraid.storcli.from_text import from_text
from raidctl_megaraid.storcli.outline import Section

HEAD = "CLI Version = 007.1912.0000.0000 Nov 23, 2021\nOperating system = Linux 6.1.0-18-amd64\n"
GOOD = f"{HEAD}Controller = 0\nStatus = Success\nDescription = None\n\n"

SHOW_ALL = f"""Generating detailed summary of the adapter, it may take a while to complete.

{GOOD}
Basics :
======
Controller = 0
Model = MegaRAID 9399-8i
Serial Number = SKX0001234
Current Controller Date/Time = 02/03/2031, 04:05:06
SAS Address = 500605b0deadbee0
PCI Address = 00:5e:00:00
Mfg Date = 02/11/29
Revision No = 00012
PCI Slot Number = 7


Version :
=======
Firmware Package Build = 24.99.0-0001
Firmware Version = 4.990.00-9001
Driver Name = megaraid_sas
Driver Version = 07.719.03.00-rc1


Bus :
===
Vendor Id = 0x1000
Device Id = 0x5D
SubVendor Id = 0x1028
SubDevice Id = 0x9999
Bus Number = 94
Device Number = 0
Function Number = 0


Status :
======
Controller Status = Needs Attention
Memory Correctable Errors = 0
Memory Uncorrectable Errors = 2
Any Offline VD Cache Preserved = Yes
BBU Status = 64
Controller has booted into safe mode = No
Current Personality = RAID-Mode


Supported VD Operations :
=======================
Read Policy = Yes
Write Policy = Yes
IO Policy = No


HwCfg :
=====
ChipRevision =  C0
BBU = Present
On Board Memory Size = 2048MB
Current Size of FW Cache (MB) = 1715
ROC temperature(Degree Celsius) = 61


Policies :
========

Policies Table :
==============

------------------------------------------------
Policy                          Current Default
------------------------------------------------
Predictive Fail Poll Interval   300 sec
Rebuild Rate                    45 %    30%
Cache Flush Interval            7s
------------------------------------------------

Flush Time(Default) = 4s


Defaults :
========
Write Policy = WB
Cache When BBU Bad = Off


Capabilities :
============
Enable JBOD = Yes


Scheduled Tasks :
===============
Patrol Read Reoccurrence = 168 hrs
Next Battery Learn = 03/04/2031, 05:06:07
OEMID = Dell

Drive Groups = 1
"""


@dataclass
class Read:
    """What was read from some outputs."""

    controllers: Controllers = field(default_factory=Controllers)
    outputs: list[Output] = field(default_factory=list)
    left: list[Section] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def controller(self) -> ControllerDraft:
        """The only controller."""
        (controller,) = self.controllers.by_number.values()
        return controller

    @property
    def battery(self) -> Draft:
        """The only battery of the only controller."""
        (battery,) = self.controller.batteries.values()
        return battery

    @property
    def unparsed(self) -> list[str]:
        """The lines that no reader used."""
        for controller in self.controllers.by_number.values():
            for draft in controller.all():
                draft.drop_evidence()
        return [line.text for output in self.outputs for line in output.unparsed()]


def read(*texts: str, command: str = "storcli64 /c0 show all") -> Read:
    """Read outputs one after the other, JSON or text."""
    done = Read()
    for text in texts:
        outline = from_json(command, text) if text.lstrip().startswith("{") else from_text(command, text)
        done.outputs.append(outline.output)
        for answer in outline.answers:
            done.left.extend(read_controller(done.controllers, answer, command))
            done.problems.extend(failures(answer, command))
    return done


def section(title: str, *lines: str) -> str:
    """An output of controller 0 with one section of pairs."""
    body = "\n".join(lines)
    return f"{GOOD}\n{title} :\n{'=' * len(title)}\n{body}\n"


def table(title: str, *rows: tuple[str, ...]) -> str:
    """An output of controller 0 with one table. The first row is its header."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    printed = [" ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " " for row in rows]
    rule = "-" * len(printed[0])
    body = "\n".join((rule, printed[0], rule, *printed[1:], rule))
    return f"{GOOD}\n{title} :\n{'=' * len(title)}\n\n{body}\n\n"


def properties(title: str, *rows: tuple[str, str]) -> str:
    """An output of controller 0 with a table of Property and Value."""
    return table(title, ("Property", "Value"), *rows)
