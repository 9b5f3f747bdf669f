"""``raidctl audit --hosts``: the policy on many machines over ssh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidctl.audit.engine import Auditor, Tally
from raidctl.audit.finding import Audited
from raidctl.audit.policy.sets import Policy
from raidctl.audit.report import EXITS
from raidctl.cli.shared import many_hosts
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.errors import EXIT_INTERRUPTED, EXIT_NO, EXIT_UNREACHABLE

_NOT_ASKED = "raidctl was interrupted before this host answered."


class RemoteAudit:
    """The audit of the hosts of ``--hosts``."""

    def __init__(self, settings: Settings, jobs: int | None) -> None:
        settings.jobs = jobs
        settings.several()
        self._settings = settings
        self._hosts = many_hosts.hosts_of(settings)
        self._codes: list[int] = []

    def audited(self, rules: Policy, *, keep: bool) -> Iterator[tuple[Tally, Sequence[Audited]]]:
        """Yield the results of each host, as they come. A host without a result has an unknown state."""
        auditor = Auditor(rules, keep=keep)
        left = dict.fromkeys(host.name for host in self._hosts)
        for outcome in many_hosts.read_hosts(self._settings, self._hosts, Machine.survey):
            name = outcome.host.name
            del left[name]
            if outcome.value is None:
                audited = auditor.unreadable(name, str(outcome.error), None)
            else:
                audited = auditor.audit(outcome.value.inventory, f"ssh:{name}")
            tally = auditor.take()
            code = EXITS[tally.summary.verdict] if outcome.value is not None else many_hosts.failed(outcome)
            self._codes.append(code)
            yield tally, [replace(audited, host=name, exit_code=code)]
        for name in left:
            self._codes.append(EXIT_INTERRUPTED)
            audited = auditor.unreadable(name, _NOT_ASKED, None)
            yield auditor.take(), [replace(audited, exit_code=EXIT_INTERRUPTED)]

    def exit_code(self, code: int) -> int:
        """Return the exit code of the audit.

        Unreached hosts give 8 if nothing fails, and an interruption gives 130.
        """
        if EXIT_INTERRUPTED in self._codes:
            return EXIT_INTERRUPTED
        return EXIT_UNREACHABLE if code != EXIT_NO and EXIT_UNREACHABLE in self._codes else code
