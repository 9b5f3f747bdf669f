"""The playbooks of ``docs/ansible.md``, which the tests run."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.collection.conftest import ROOT


def playbook(name: str, **more: Any) -> str:
    """The playbook with the play of this name. Some of its keywords have other values."""
    text = (ROOT / "docs" / "ansible.md").read_text(encoding="utf-8")
    plays = [play for block in re.findall(r"```yaml\n(.+?)```", text, re.DOTALL) for play in yaml.safe_load(block)]
    [play] = [play for play in plays if play["name"] == name]
    return str(yaml.safe_dump([{**play, **more}], sort_keys=False))
