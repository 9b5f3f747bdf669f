"""``--format nagios``: plug-in output for Nagios and Icinga, for one machine or many."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from raidctl.audit.finding import Audited, Finding
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Again, Options, Writer
from raidctl.output.nagios import Counts, Status, about, figure, figures, line_of, plugin, rank, status_of, summary_of

_LINES = 50
"""The most findings that are kept, worst first. More do not fit into the output."""
_Row = tuple[int, int, str, str]


class Nagios(Writer):
    """A writer that counts findings and keeps the worst."""

    everything = False
    again = False

    def __init__(self, options: Options) -> None:
        self._alone = options.alone
        self._counts = Counts()
        self._rows: list[_Row] = []
        self._seen = 0

    def begin(self) -> str:
        """Nothing: the line comes at the end."""
        return ""

    def host(self, audited: Audited) -> str:
        """Keep the host's findings."""
        self._counts.add(audited.findings)
        self._keep(audited.findings, "" if self._alone else audited.host)
        return ""

    def end(self, summary: Summary, again: Again) -> Iterator[str]:  # noqa: ARG002 - the signature of all writers
        """The status line and the lines below it."""
        counts = self._whole(summary)
        self._keep(summary.findings, "")
        rows = sorted(self._rows, reverse=True)
        status = status_of(counts)
        text = summary_of(counts) + (f", {summary.waived} waived" if summary.waived else "")
        if not self._alone:
            word = "host passes" if summary.hosts == 1 else "hosts pass"
            text = f"{summary.hosts_passed} of {summary.hosts} {word}; {text}"
        if rows and status is not Status.OK:
            text += f": {rows[0][2]}"
        hosts = [] if self._alone else _hosts(summary)
        yield plugin(status, text, [*figures(counts), *hosts], [row[3] for row in rows], self._seen - len(rows))

    def exit_code(self, summary: Summary) -> int:
        """The exit code of the plug-in protocol."""
        return status_of(self._whole(summary))

    def _keep(self, findings: Iterable[Finding], host: str) -> None:
        """Keep the worst findings; among equals, the first."""
        for one in findings:
            if one.outcome == "pass":
                continue
            self._seen += 1
            row = (-rank(one), -self._seen, f"{host and f'{host}: '}{about(one)}", line_of(one, host))
            (heapq.heappush if len(self._rows) < _LINES else heapq.heappushpop)(self._rows, row)

    def _whole(self, summary: Summary) -> Counts:
        """The counts with the findings about the policy itself."""
        whole = Counts(**vars(self._counts))
        whole.add(summary.findings)
        whole.checked, whole.passed = summary.checked, summary.passed
        return whole


def _hosts(summary: Summary) -> list[str]:
    unknown = summary.hosts_unknown + summary.hosts_no_access
    return [
        figure("hosts", summary.hosts),
        figure("hosts_failed", summary.hosts_failed, most=summary.hosts),
        figure("hosts_unknown", unknown, most=summary.hosts),
    ]


def writer(options: Options) -> Nagios:
    """The writer of this format."""
    return Nagios(options)
