"""The text format of Prometheus, version 0.0.4: metrics in, text out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidctl.output.metrics import Family, Sample, Value
from raidctl.text import printable

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_EXACT = 2**53
"""Below it, floats without a fraction are exact as integers."""
_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})
_LABEL = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


def text(families: Iterable[Family]) -> str:
    """The families, each with its help and type."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {printable(family.help).translate(_HELP)}"
    yield f"# TYPE {family.name} gauge"
    for sample in family.samples:
        yield f"{family.name}{_labels(sample)} {number(sample.value)}"


def _labels(sample: Sample) -> str:
    pairs = ",".join(f'{name}="{label(value)}"' for name, value in sample.labels.items())
    return f"{{{pairs}}}" if pairs else ""


def label(value: str) -> str:
    """A label's value: escaped, without control characters, valid UTF-8."""
    return printable(value).encode("utf-8", "replace").decode("utf-8").translate(_LABEL)


def number(value: Value) -> str:
    """A number in the syntax of Prometheus, without loss; yes is 1."""
    whole = isinstance(value, int) or (value.is_integer() and abs(value) < _EXACT)
    return str(int(value)) if whole else repr(value)
