"""Tests of the kernel's caches: ``cache show``, ``flush``, ``threshold`` and ``stats``."""
