"""The drives of an output with headers per device: hdparm and sdparm."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidctl_drives.draft import DriveDraft
from raidctl_drives.vocabulary import node_in


@dataclass
class DrivesOfOutput:
    """The drives read so far; the last one is the current one."""

    document: str
    """Name of the file, or the command line."""
    drafts: list[DriveDraft] = field(default_factory=list)

    def begin(self) -> DriveDraft:
        """Begin another drive."""
        self.drafts.append(DriveDraft(f"{self.document}#{len(self.drafts) + 1}"))
        return self.drafts[-1]

    @property
    def draft(self) -> DriveDraft:
        """The current drive. Without a header, it is the one that the command line names."""
        if not self.drafts:
            DrivesOfOutput.begin(self).at_device(node_in(self.document))
        return self.drafts[-1]
