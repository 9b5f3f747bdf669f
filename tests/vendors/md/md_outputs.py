"""Outputs of md and mdadm. The formats are real, the names and numbers invented."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import raidctl_md as md
from raidctl.model import Array, Controller, Drive, Volume
from raidctl.request import (
    Answer,
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Request,
    Run,
    RunAnswer,
    Which,
    WhichAnswer,
)
from raidctl.vendor.protocol import Document, Observation

DETAIL = """\
/dev/md7:
           Version : 1.2
     Creation Time : Thu Apr  4 10:20:30 2024
        Raid Level : raid6
        Array Size : 20953088 (19.98 GiB 21.46 GB)
     Used Dev Size : 10476544 (9.99 GiB 10.73 GB)
      Raid Devices : 4
     Total Devices : 5
       Persistence : Superblock is persistent

     Intent Bitmap : Internal

       Update Time : Fri Apr  5 11:21:31 2024
             State : clean
    Active Devices : 4
   Working Devices : 5
    Failed Devices : 0
     Spare Devices : 1

            Layout : left-symmetric
        Chunk Size : 256K

Consistency Policy : bitmap

              Name : plum:seven  (local to host plum)
              UUID : 0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9
            Events : 77

    Number   Major   Minor   RaidDevice State
       0       8        1        0      active sync   /dev/sda1
       1       8       17        1      active sync writemostly   /dev/sdb1
       2       8       33        2      active sync   /dev/sdc1
       3       8       49        3      active sync failfast   /dev/sdd1

       4       8       65        -      spare   /dev/sde1
"""

EXAMINE = """\
/dev/sdd1:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x1
     Array UUID : 0a1b2c3d:4e5f6071:8293a4b5:c6d7e8f9
           Name : plum:seven  (local to host plum)
  Creation Time : Thu Apr  4 10:20:30 2024
     Raid Level : raid6
   Raid Devices : 4

 Avail Dev Size : 20953088 sectors (9.99 GiB 10.73 GB)
     Array Size : 20953088 KiB (19.98 GiB 21.46 GB)
    Data Offset : 18432 sectors
   Super Offset : 8 sectors
   Unused Space : before=18352 sectors, after=0 sectors
          State : clean
    Device UUID : 11223344:55667788:99aabbcc:ddeeff00

Internal Bitmap : 8 sectors from superblock
          Flags : write-mostly failfast
    Update Time : Fri Apr  5 11:21:31 2024
  Bad Block Log : 512 entries available at offset 16 sectors - bad blocks present.
       Checksum : 5a5a0f0f - correct
         Events : 77

         Layout : left-symmetric
     Chunk Size : 256K

   Device Role : Active device 3
   Array State : AA.A ('A' == active, '.' == missing, 'R' == replacing)
"""


def read(*texts: str, name: str = "output.txt") -> Observation:
    """The observation of outputs, each recognised by its content."""
    documents = []
    for text in texts:
        sniffed = md.sniff(name, text)
        documents.append(Document(name, sniffed.kind if sniffed else "md", text))
    return md.read(documents)


def controller(*texts: str) -> Controller:
    """The only controller of the outputs."""
    (found,) = read(*texts).controllers
    return found


def volume(*texts: str) -> Volume:
    """The only volume of the outputs."""
    (found,) = controller(*texts).volumes
    return found


def drives(*texts: str) -> dict[str, Drive]:
    """The drives by the part of their ids behind the last slash."""
    return {drive.id.rpartition("/")[2]: drive for drive in controller(*texts).drives}


def array(*texts: str) -> Array:
    """The only array of the outputs."""
    (found,) = controller(*texts).arrays
    return found


def lines_of(observation: Observation, object_id: str, field: str) -> list[str]:
    """The raw lines that a field of an object was read from."""
    return [
        fact.line.text
        for output in observation.outputs
        for fact in output.facts
        if fact.object_id == object_id and fact.field == field
    ]


class Machine:
    """A runner with scripted files and tools, which records the requests. Everything else is missing."""

    def __init__(
        self,
        files: dict[str, str | Failure],
        runs: dict[str, RunAnswer] | None = None,
        *,
        tool: str | None = "/usr/sbin/mdadm",
    ) -> None:
        self.files = files
        self.runs = runs or {}
        self.tool = tool
        self.asked: list[Request[Any]] = []

    def carry_out(self, requests: Sequence[Request[Any]]) -> Sequence[Answer]:
        """Answer each request, in order."""
        self.asked += requests
        return tuple(self.answer(request) for request in requests)

    def answer(self, request: Request[Any]) -> Answer:
        """The reply to one request."""
        if isinstance(request, Which):
            return WhichAnswer(path=self.tool, trouble=None if self.tool else Failure.MISSING)
        if isinstance(request, Read):
            text = self.files.get(request.path, Failure.MISSING)
            return ReadAnswer(trouble=text) if isinstance(text, Failure) else ReadAnswer(data=text.encode())
        if isinstance(request, Glob):
            depth = request.pattern.count("/")
            end = request.pattern.rpartition("/")[2]
            member = "dev-" in request.pattern
            paths = [p for p in self.files if p.count("/") == depth and p.endswith(end) and ("/dev-" in p) == member]
            return GlobAnswer(paths=tuple(sorted(paths)))
        assert isinstance(request, Run)
        return self.runs.get(" ".join(request.argv), RunAnswer(trouble=Failure.MISSING))

    def commands(self) -> list[str]:
        """The commands that were run."""
        return [" ".join(request.argv) for request in self.asked if isinstance(request, Run)]
