"""Two small vendor packages, enough to be recognised and read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raidctl.evidence import Output
from raidctl.host import HostView
from raidctl.model import Capability, Controller
from raidctl.request import Dialogue
from raidctl.vendor.protocol import Confidence, Document, Observation, Sniffed, ToolSpec


@dataclass
class StandIn:
    """A family whose outputs begin with its title and hold ``Serial Number:`` lines."""

    FAMILY: str
    TITLE: str
    TOOLS: tuple[ToolSpec, ...]
    confidence: Confidence = Confidence.SURE
    DRIVERS: tuple[str, ...] = ()
    LAST: bool = False
    SUPPORT: Mapping[str, Capability] = field(default_factory=dict)

    def observe(self, host: HostView) -> Dialogue[Observation]:  # noqa: ARG002 - the protocol's own name
        """Nothing on any machine."""
        yield ()
        return Observation()

    def sniff(self, name: str, text: str) -> Sniffed | None:
        """By the title, anywhere on a separate line."""
        if "explode" in text:
            raise ValueError(f"cannot bear {name}")
        if re.search(rf"^{self.TITLE}$", text, re.MULTILINE):
            return Sniffed("report", self.confidence, f"{self.TOOLS[0].name} show")
        return None

    def read(self, documents: Sequence[Document]) -> Observation:
        """A controller for each document, with the serial number as printed."""
        controllers = []
        for document in documents:
            match = re.search(r"Serial Number: *(\S+)", document.text)
            controllers.append(Controller(id=f"{self.FAMILY}:{document.name}", serial=match[1] if match else None))
        outputs = tuple(Output.of_text(document.name, document.text) for document in documents)
        return Observation(controllers=tuple(controllers), outputs=outputs)


APPLE = StandIn("apple", "Apple Report", (ToolSpec("applecli"), ToolSpec("appleadm")))
PEAR = StandIn("pear", "Pear Report", (ToolSpec("pearctl"),))
VENDORS = (APPLE, PEAR)
APPLE_TEXT = "Apple Report\n  Serial Number: RCTLA00017\n  Status: OK\n"
PEAR_TEXT = "Pear Report\n  Serial Number: RCTLP00042\n"
