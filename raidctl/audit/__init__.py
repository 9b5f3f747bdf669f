"""Checks of inventories by rules, built in or from a policy file. Pure.

``finding`` is the result of a rule; ``builtin`` has the built-in rules, one module each; ``policy`` reads policy files,
and ``engine`` applies it to inventories. Nothing here queries a machine.
"""
