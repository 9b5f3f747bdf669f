"""The report's section about its inputs: outputs, files, and their checksums. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from raidctl.evidence import Output
from raidctl.model import Inventory
from raidctl.output.report.page import Block, Cell, Paragraph, Section, table
from raidctl.text import counted


def checksums(outputs: Sequence[Output], files: Mapping[str, bytes]) -> dict[str, tuple[str, int]]:
    """SHA-256 and line count of each output and file, sorted by name. A file has 0 lines."""
    found: dict[str, tuple[str, int]] = {}
    grouped: dict[str, list[Output]] = {}
    for output in outputs:
        grouped.setdefault(output.command, []).append(output)
    for command, several in grouped.items():
        texts = sorted("\n".join(line.text for line in output.lines) for output in several)
        data = "\n".join(texts).encode("utf-8", "surrogatepass")
        found[command] = (hashlib.sha256(data).hexdigest(), sum(len(output.lines) for output in several))
    found |= {name: (hashlib.sha256(data).hexdigest(), 0) for name, data in files.items()}
    return dict(sorted(found.items()))


def overall(sums: Mapping[str, tuple[str, int]]) -> str:
    """SHA-256 over the names and checksums of all inputs."""
    text = "".join(f"{digest}  {name}\n" for name, (digest, _) in sums.items())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def section(inventory: Inventory, sums: Mapping[str, tuple[str, int]], notes: Sequence[str]) -> Section:
    """What could not be read, then each input with its checksum."""
    blocks: list[Block] = [Paragraph(note, "warn") for note in notes]
    problems: list[tuple[Cell | str, ...]] = [
        (one.severity, one.where, one.message, one.remedy or "") for one in inventory.problems
    ]
    if problems:
        blocks.append(table("Problems while reading", ("Severity", "Where", "What happened", "Remedy"), problems))
    tools: list[tuple[Cell | str, ...]] = [
        (one.name, one.version or "unknown", one.path or "") for one in inventory.tools
    ]
    if tools:
        blocks.append(table("Tools that were called", ("Tool", "Version", "Path"), tools))
    rows: list[tuple[Cell | str, ...]] = [(name, str(count or ""), digest) for name, (digest, count) in sums.items()]
    title = f"{counted(len(rows), 'input')}"
    if rows:
        blocks.append(table(title, ("Command or file", "Lines", "SHA-256"), rows, folded=True))
    blocks.append(Paragraph(f"SHA-256 of all inputs: {overall(sums)}"))
    return Section("inputs", "How this was read", tuple(blocks))
