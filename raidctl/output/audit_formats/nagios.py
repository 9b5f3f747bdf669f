"""``--format nagios``: the line that Nagios and Icinga want, of one machine or of many."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from raidctl.audit.finding import Audited, Finding
from raidctl.audit.report import Summary
from raidctl.output.audit_formats import Again, Sheet
from raidctl.output.nagios import Counts, Status, about, figure, figures, line_of, plugin, rank, said, status_of

_LINES = 50
"""So many findings are remembered, the worst; more do not fit into the output."""
_Row = tuple[int, int, str, str]


class Nagios:
    """Counts, and remembers the worst findings."""

    everything = False
    again = False

    def __init__(self, sheet: Sheet) -> None:
        self._alone = sheet.alone
        self._counts = Counts()
        self._rows: list[_Row] = []
        self._seen = 0

    def begin(self) -> str:
        """Nothing: the line comes at the end."""
        return ""

    def host(self, audited: Audited) -> str:
        """Remember what is the matter on it."""
        self._counts.add(audited.findings)
        self._keep(audited.findings, "" if self._alone else audited.host)
        return ""

    def end(self, summary: Summary, again: Again) -> Iterator[str]:  # noqa: ARG002 - the signature of all writers
        """The line, and those below it."""
        counts = self._whole(summary)
        self._keep(summary.findings, "")
        rows = sorted(self._rows, reverse=True)
        status = status_of(counts)
        text = said(counts)
        if not self._alone:
            word = "host passes" if summary.hosts == 1 else "hosts pass"
            text = f"{summary.hosts_passed} of {summary.hosts} {word}; {text}"
        if rows and status is not Status.OK:
            text += f": {rows[0][2]}"
        hosts = [] if self._alone else _hosts(summary)
        yield plugin(status, text, [*figures(counts), *hosts], [row[3] for row in rows], self._seen - len(rows))

    def exit_code(self, summary: Summary) -> int:
        """That of the protocol."""
        return status_of(self._whole(summary))

    def _keep(self, findings: Iterable[Finding], host: str) -> None:
        """Remember the worst; of equals the first."""
        for one in findings:
            if one.outcome == "pass":
                continue
            self._seen += 1
            row = (-rank(one), -self._seen, f"{host and f'{host}: '}{about(one)}", line_of(one, host))
            (heapq.heappush if len(self._rows) < _LINES else heapq.heappushpop)(self._rows, row)

    def _whole(self, summary: Summary) -> Counts:
        """With what is to be said of the policy itself."""
        whole = Counts(**vars(self._counts))
        whole.add(summary.findings)
        whole.checked, whole.passed = summary.checked, summary.passed
        return whole


def _hosts(summary: Summary) -> list[str]:
    untold = summary.hosts_unknown + summary.hosts_no_access
    return [
        figure("hosts", summary.hosts),
        figure("hosts_failed", summary.hosts_failed, most=summary.hosts),
        figure("hosts_unknown", untold, most=summary.hosts),
    ]


def writer(sheet: Sheet) -> Nagios:
    """The writer of this format."""
    return Nagios(sheet)
