"""The built-in rules: one module each, whose docstring is its manual page.

Modules with a leading underscore are shared code. A new rule is a new module with ``FINDINGS`` and ``check``; there is
no list to maintain.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache

from raidctl.audit.rule import Rule

HEALTH = frozenset(
    {
        "array_in_trouble", "background_operation", "battery_failed", "battery_learning", "bmc_disagrees",
        "cache_in_trouble", "controller_in_trouble", "drive_errors", "drive_expects_failure", "drive_failed",
        "foreign_configuration", "md_mismatch", "no_right", "no_tool", "not_read", "nvme_health", "reported_trouble",
        "sas_link", "several_expect_failure", "ssd_worn", "state_unknown", "temperature_high", "unwritten_cache",
        "volume_degraded", "volume_failed", "volume_rebuilding", "write_back_unprotected", "write_policy_not_in_force",
    }
)  # fmt: skip
"""The rules about the state of the hardware and its data. Rules about settings, speed or design are left out."""


@cache
def rules() -> tuple[Rule, ...]:
    """All built-in rules, sorted by name."""
    import pkgutil  # noqa: PLC0415 - a screen needs a few rules by name

    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(map(rule, names))


@cache
def health_rules() -> tuple[Rule, ...]:
    """The rules about the state of the hardware and its data."""
    return tuple(one for one in rules() if one.name in HEALTH)


@cache
def rule(name: str) -> Rule:
    """The rule of a module.

    Raises:
        AttributeError: It has no ``FINDINGS`` or ``check``; shared code needs a name with a leading underscore.
    """
    module = importlib.import_module(f"{__name__}.{name}")
    found: Rule = module.FINDINGS.as_rule(module.check)
    return found


def named(name: str) -> Rule | None:
    """The rule of this name, or None. Hyphens count as underscores."""
    wanted = name.replace("-", "_")
    return next((rule for rule in rules() if rule.name == wanted), None)


def manual(rule: Rule) -> str:
    """The manual page of a rule, in Markdown: its module's docstring."""
    return inspect.cleandoc(importlib.import_module(f"{__name__}.{rule.name}").__doc__ or "")
