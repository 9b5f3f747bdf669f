"""Merge the kernel's devices and the vendor packages' results into one inventory.

``survey`` is the entry for all commands: it runs :mod:`raidctl.discovery`, then the vendor packages (``ask_vendors``),
and merges what they return. Each other module does one part of the merging, most of them pure: ``block_devices``,
``merge_controllers``, ``kernel_facts``, ``truncated_outputs``, ``failed_requests``. A new part is a module, and a call
in ``survey``.
"""
