"""``--format json``: one document (:class:`raidctl.audit.report.Report`), one line per host."""

from __future__ import annotations

from collections.abc import Iterator

from raidctl.audit.finding import Audited
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Again, Options, Writer
from raidctl.output.audit_formats.lines import compact


class Document(Writer):
    """Writer of the hosts as they arrive. The totals are at the end."""

    everything = True
    again = False

    def __init__(self, options: Options) -> None:
        self._policy = options.policy
        self._before = "\n    "

    def begin(self) -> str:
        """The head."""
        return f'{{\n  "schema_version": "1",\n  "policy": {compact(self._policy)},\n  "hosts": ['

    def host(self, audited: Audited) -> str:
        """One element."""
        before, self._before = self._before, ",\n    "
        return f"{before}{compact(audited)}"

    def end(self, summary: Summary, again: Again) -> Iterator[str]:  # noqa: ARG002 - the signature of all writers
        """The totals."""
        yield f'\n  ],\n  "summary": {compact(summary)}\n}}\n'


def writer(options: Options) -> Document:
    """The writer of this format."""
    return Document(options)
