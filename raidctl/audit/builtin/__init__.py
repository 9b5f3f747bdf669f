"""The rules that raidctl brings along: one module each, whose docstring is its page in the manual.

Modules that begin with an underscore are what the rules share. A new rule is a new module with its ``FINDINGS``
and ``check``; nothing lists them by hand.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache

from raidctl.audit.rule import Rule

HEALTH = frozenset(
    {
        "array_in_trouble", "background_operation", "battery_failed", "battery_learning", "cache_in_trouble",
        "controller_in_trouble", "drive_errors", "drive_expects_failure", "drive_failed", "foreign_configuration",
        "md_mismatch", "no_right", "no_tool", "not_read", "nvme_health", "reported_trouble", "sas_link",
        "several_expect_failure", "ssd_worn", "state_unknown", "temperature_high", "unwritten_cache",
        "volume_degraded", "volume_failed", "volume_rebuilding", "write_back_unprotected", "write_policy_not_in_force",
    }
)  # fmt: skip
"""The rules about the state of the hardware and its data, not about settings, speed or design."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every built-in rule, in the order of their names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(map(rule, names))


@cache
def rule(name: str) -> Rule:
    """The rule of a module.

    Raises:
        AttributeError: It has no ``FINDINGS`` or ``check``; it is to be named with an underscore, or to get them.
    """
    module = importlib.import_module(f"{__name__}.{name}")
    made: Rule = module.FINDINGS.made(module.check)
    return made


def named(name: str) -> Rule | None:
    """The rule of this name; None when there is none. Hyphens do as well as underscores."""
    wanted = name.replace("-", "_")
    return next((rule for rule in rules() if rule.name == wanted), None)


def manual(rule: Rule) -> str:
    """The manual page of a rule, in Markdown: the docstring of its module, which bears its name."""
    return inspect.cleandoc(importlib.import_module(f"{__name__}.{rule.name}").__doc__ or "")
