"""Emulated servers with real kernels, described in Python, booted under QEMU, driven from tests; see docs/lab.md."""
