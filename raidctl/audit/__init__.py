"""Is it what it should be: rules, of a policy file or built in, against inventories. Pure.

``finding`` is what every rule says; ``builtin`` holds the rules that raidctl brings along, one module each; the other
modules read a policy file and hold it against inventories. Nothing here asks a machine anything.
"""
