"""Layouts: the volumes and spares of a machine as a file, and a machine compared with it. Pure."""
