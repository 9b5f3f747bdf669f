"""Recordings, archives and pasted files of tools' output, and their redaction."""
