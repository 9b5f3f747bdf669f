"""``raidctl-mfi``: read MegaRAID controllers through the kernel driver, without the vendor's tool.

It is a tool, not a family: it prints JSON, which :mod:`raidctl_megaraid` reads as it reads storcli's. Only the module
``node`` touches the machine; structures, frames, decoding and the order of the queries are pure functions.
"""

from __future__ import annotations

__all__ = ["FORMAT", "NAME"]

NAME = "raidctl-mfi"
FORMAT = "raidctl-mfi 1"
"""First value of every output, so that a loose file is recognised."""
