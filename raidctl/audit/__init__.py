"""Checks of inventories by rules, built in or from a policy file. Pure.

``rule`` and ``finding`` are the types; ``builtin`` has the built-in rules, one module each; ``policy`` reads policy
files, and ``engine`` applies it to inventories; ``diagnosis`` is the result of the built-in rules on one machine. A new
rule goes into ``builtin``. Nothing here queries a machine.
"""
