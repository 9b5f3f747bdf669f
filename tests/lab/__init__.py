"""Emulated servers with real kernels; see docs/lab.md.

They are described in Python, booted under QEMU, driven from tests.
"""
