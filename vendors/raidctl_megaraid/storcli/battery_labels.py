"""The labels of the battery's, the CacheVault's and the energy pack's sections."""

from __future__ import annotations

from raidctl.text import regex
from raidctl.vendor.fields import Field
from raidctl_megaraid.storcli import controller_words as words

TITLES = regex(
    r"(?:bbu|cachevault|cache vault|cv|energy[ _]?pack|ep)(?:[ _].*|)|(?:firmware|design)[ _](?:status|info)"
    r"|gas ?(?:gauge|guage) ?status|.*learn ?cycle.*|super ?cap.*"
)
"""``BBU_Info``, ``BBU_Firmware_Status``, ``Cachevault_Info``, ``GasGaugeStatus``, ``Energy Pack Info``."""

SHARED_TITLES = frozenset({"properties", "modes", "capacity_info", "status"})
"""Titles that other commands print too. They are the battery's when the output is about one and they hold its
labels."""

FIRMWARE_TITLES = regex(r"(?:.*[ _])?firmware[ _]status|bbu[ _]status|gas ?(?:gauge|guage) ?status")
"""Titles of sections of flags. Their labels repeat those of the others (``Temperature`` is ``OK`` here)."""


FIELDS: dict[str, Field] = {
    "temperature": Field("temperature_celsius", words.celsius),
    "temp": Field("temperature_celsius", words.celsius),
    "temperature(c)": Field("temperature_celsius", words.celsius),
    "temp(c)": Field("temperature_celsius", words.celsius),
    "voltage": Field("voltage_volts", words.volts),
    "voltage(mv)": Field("voltage_volts", words.volts),
    "relative state of charge": Field("charge_percent", words.percent),
    "relative state of charge(%)": Field("charge_percent", words.percent),
    "charge(%)": Field("charge_percent", words.percent),
    "next learn": Field("next_learn_at", words.moment),
    "next learn time": Field("next_learn_at", words.moment),
    "next learn cycle": Field("next_learn_at", words.moment),
}
"""In the sections of figures."""

STATES = ("state", "battery state", "status", "battery status", "bbu state", "energy pack status")
TYPES = ("type", "model", "battery type", "subtype", "device name")
REPLACE = (
    "replacement required", "battery replacement required", "pack is about to fail & should be replaced",
    "pack is about to fail and should be replaced", "replace pack",
)  # fmt: skip
LEARNING = ("learn cycle active", "learn active")
GONE = ("battery pack missing", "pack missing", "energy pack missing")

POWER = "See the tool's own report; replace the battery if this persists."
OFFLOAD = "cache offload premium feature required"
"""Flag of a CacheVault that cannot save the cache; a battery keeps the cache in the memory."""
TROUBLES: dict[str, tuple[frozenset[str], str, str]] = {
    # Learn Cycle Status  Failed
    "learn cycle status": (frozenset({"failed", "fail"}), "The last learn cycle failed.", POWER),
    "learn cycle timeout": (words.YES, "The last learn cycle ran out of time.", POWER),
    "i2c errors detected": (words.YES, "The controller reports I2C errors while reading the pack.", "Check its cable."),
    "remaining capacity low": (words.YES, "The pack's remaining capacity is low.", POWER),
    "voltage": (frozenset({"low"}), "The pack's voltage is low.", POWER),
    "temperature": (frozenset({"high"}), "The pack's temperature is high.", "Check fans and air flow."),
    # isSOHGood: No        Is SOH Good  No
    **dict.fromkeys(("issohgood", "is soh good"), (words.NO, "The pack's state of health is not good.", POWER)),
    "over temperature": (words.YES, "The pack is too warm.", "Check fans and air flow."),
    "no space to cache offload": (
        words.YES, "The flash has no room for the cache's content when the power fails.", "Replace the CacheVault.",
    ),
    "module microcode update required": (
        words.YES, "The CacheVault's microcode is too old for the controller.", "Update the controller's firmware.",
    ),
    OFFLOAD: (
        words.YES, "Saving the cache to flash requires a licence that is not installed.", "Enter the licence key.",
    ),
}  # fmt: skip
"""Firmware flags: the values that report a fault, the sentence, what to do."""
ADVICE = ("module microcode update required",)
"""Flags that report something to do, but nothing about the pack's health."""
FLAGS = frozenset(
    (*LEARNING, *GONE, *(label for label, (bad, _, _) in TROUBLES.items() if bad in (words.YES, words.NO)))
)
"""Flags whose value is yes or no."""
WORDS = frozenset(TROUBLES) - FLAGS
"""Flags whose value is a word, such as the voltage's."""
GOOD_WORDS = frozenset({"ok", "no", "none", "good", "normal"})
