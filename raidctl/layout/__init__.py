"""Layouts: a machine's volumes and spares as a file. A machine is compared with it. Pure."""
