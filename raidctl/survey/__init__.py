"""Merge the kernel's devices and the vendor packages' results into one inventory."""
