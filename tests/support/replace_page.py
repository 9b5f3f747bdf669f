"""The generated part of ``docs/replace.md``.

It has what no tool of a family reports, and why a guard passes without it.
"""

from __future__ import annotations

from raidctl.vendor.registry import vendors
from raidctl.vendor.unreported import Fact, unreported
from tests.support.pages import between

_GUARDS: dict[Fact, str] = {
    "preserved_data": "preserved data of lost volumes (R5)",
    "differences": "differences between copies (R6)",
}
_IN_STATUS = "; UNKNOWN if the status of the cache is not reported"


def replace_page(page: str) -> str:
    """The page with a row for each fact in ``UNREPORTED``. A family declares it there."""
    rows = [
        f"| `{family}` | {_GUARDS[fact]} | {row.why}{_IN_STATUS if row.in_status else ''} |"
        for (family, fact), row in sorted(unreported(vendors()[0]).items(), key=lambda item: item[0][0])
    ]
    return between(page, "what no tool reports", "\n".join(["| family | fact | reason |", "|---|---|---|", *rows]))
