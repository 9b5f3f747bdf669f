"""The report as one HTML file, without scripts or external resources.

Every text is escaped. Pure but for the template.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from raidctl.output.report.page import Page
from raidctl.text import printable

_POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def write(page: Page) -> bytes:
    """The file, UTF-8; the same page gives the same bytes."""
    style = _data("report.css").strip()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_shown, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(_data("report.html"))
    # the CSS and the drawings are raidctl's own
    text = template.render(page=page, style=Markup(style), drawing=Markup, policy=_POLICY.format(digest))  # noqa: S704
    return text.encode("utf-8", "replace")


def _shown(value: Any) -> Any:
    """A text without control characters or marks that change writing direction."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _data(name: str) -> str:
    return (files("raidctl") / "data" / name).read_text(encoding="utf-8")
