"""``nvme list-subsys``: the subsystems as a tree, with the paths to each."""

from __future__ import annotations

from typing import Protocol

from raidctl.evidence import Line, mark_read
from raidctl.text import regex
from raidctl_drives import nvme_fields
from raidctl_drives.draft import DriveDraft

# nvme-subsys0 - NQN=nqn.2014.08.org.nvmexpress:12341234ABC123  EXAMPLE Q9
_SUBSYSTEM = regex(r"(nvme-subsys\d+) - NQN=(.*)")
#                hostnqn=nqn.2014-08.org.nvmexpress:uuid:…
_ATTRIBUTE = regex(r"(hostnqn|hostid|iopolicy|model|serial|firmware|type)=(.*)")
#  +- nvme0 pcie 0000:01:00.0 live
_PATH = regex(r"\+- (nvme\d+)(?: (\S+))?(?: (.*))?")
_BRANCH = regex(r"\\|\+- ns \d+.*")
_FACTS = frozenset(("model", "serial", "firmware"))


class State(Protocol):
    """What the reader of an output of nvme keeps between lines."""

    section: str
    drafts: list[DriveDraft]

    def begin(self, section: str, node: str | None) -> DriveDraft:
        """A new drive begins."""


def is_line(words: str) -> bool:
    """Whether a line is one of such a tree."""
    return any(form.fullmatch(words) for form in (_SUBSYSTEM, _ATTRIBUTE, _PATH, _BRANCH))


def read_line(state: State, line: Line, words: str) -> None:
    """Read a line of the tree."""
    if subsystem := _SUBSYSTEM.fullmatch(words):
        draft = state.begin("subsystem", None)
        draft.detail(line, "Subsystem", subsystem[1])
        draft.detail(line, "Subsystem-NQN", subsystem[2])
        return
    if state.section != "subsystem" or not state.drafts:
        return
    draft = state.drafts[-1]
    if attribute := _ATTRIBUTE.fullmatch(words):
        if attribute[1] in _FACTS:
            draft.put(line, attribute[1], attribute[2])
        else:
            draft.detail(line, attribute[1], attribute[2])
    elif path := _PATH.fullmatch(words):
        if "device" not in draft.values:
            draft.put(line, "device", f"/dev/{path[1]}")
        draft.detail(line, "Transport", path[2] or "")
        nvme_fields.read_path_state(draft, line, path[1], path[3] or "")
    else:
        mark_read(line)
