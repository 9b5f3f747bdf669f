"""``--format jsonl``: a line of JSON per host, once it is known."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from raidctl.audit.finding import Audited
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Again, Options, Writer
from raidctl.text import json_safe


class Lines(Writer):
    """Writer of one line per host."""

    everything = True
    again = False

    def begin(self) -> str:
        """Nothing."""
        return ""

    def host(self, audited: Audited) -> str:
        """The line of a host."""
        return f"{compact(audited)}\n"

    def end(self, summary: Summary, again: Again) -> Iterator[str]:  # noqa: ARG002 - the signature of all writers
        """Nothing: readers of the lines add up themselves."""
        return iter(())


def compact(value: Audited | Summary | str) -> str:
    """JSON on one line, without characters that control a terminal."""
    return json_safe(msgspec.json.encode(value, order="deterministic").decode("utf-8"))


def writer(_options: Options) -> Lines:
    """The writer of this format."""
    return Lines()
