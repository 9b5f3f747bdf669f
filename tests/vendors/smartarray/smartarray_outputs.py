"""Outputs in the tools' formats, and a runner replying by a script. The values are invented."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from raidctl.model import Controller, Drive, Volume
from raidctl.vendor.protocol import Document, Observation
from raidctl_smartarray import read

CONTROLLER = """
Smart Array P420i in Slot 0 (Embedded)
   Bus Interface: PCI
   Slot: 0
   Serial Number: 5001438022AB4C10
   RAID 6 (ADG) Status: Enabled
   Controller Status: OK
   Firmware Version: 8.32
   Rebuild Priority: Medium
   Cache Board Present: True
   Cache Status: OK
   Cache Ratio: 25% Read / 75% Write
   Drive Write Cache: Disabled
   Total Cache Size: 1024 MB
   Total Cache Memory Available: 816 MB
   No-Battery Write Cache: Disabled
   Cache Backup Power Source: Capacitors
   Battery/Capacitor Count: 1
   Battery/Capacitor Status: OK
   Driver Name: hpsa
   PCI Address (Domain:Bus:Device.Function): 0000:0B:00.0

   Array: A
      Interface Type: SAS
      Unused Space: 2048  MB (0.4%)
      Status: OK

      Logical Drive: 1
         Size: 279.4 GB
         Fault Tolerance: 1
         Strip Size: 256 KB
         Status: OK
         Caching:  Enabled
         Unique Identifier: 600508B1001C00112233445566778899
         Disk Name: /dev/sda
         Mount Points: /boot 512 MB Partition Number 1, / 270.0 GB Partition Number 2
         Logical Drive Label: first
         LD Acceleration Method: Controller Cache

      physicaldrive 1I:1:1
         Port: 1I
         Box: 1
         Bay: 1
         Status: OK
         Drive Type: Data Drive
         Interface Type: SAS
         Size: 300 GB
         Rotational Speed: 10000
         Firmware Revision: HPD7
         Serial Number:         6XN0AAAA
         Model: HP      EG0300FBVFL
         Current Temperature (C): 31
         PHY Transfer Rate: 6.0Gbps, Unknown

      physicaldrive 1I:1:2
         Port: 1I
         Box: 1
         Bay: 2
         Status: OK
         Drive Type: Data Drive
         Interface Type: SAS
         Size: 300 GB
"""
"""A controller with a volume, its cache and its capacitor all ok."""


def observed(*texts: str, names: Sequence[str] = ()) -> Observation:
    """The observation of some outputs, read together."""
    given = list(names) or [f"output-{number}.txt" for number in range(len(texts))]
    return read([Document(name, "show", textwrap.dedent(text)) for name, text in zip(given, texts, strict=True)])


def controller(*texts: str) -> Controller:
    """The only controller of some outputs."""
    (found,) = observed(*texts).controllers
    return found


def volume(*texts: str) -> Volume:
    """The only volume of some outputs."""
    (found,) = controller(*texts).volumes
    return found


def drive(*texts: str) -> Drive:
    """The only drive of some outputs."""
    (found,) = controller(*texts).drives
    return found
