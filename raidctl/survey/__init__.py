"""From the kernel's devices and the vendor packages to one inventory."""
