"""Recordings, archives and pasted files of tools' output, and their redaction.

``recording`` and ``manifest`` are the format of a recording; ``archive`` reads files and archives within limits;
``loose_files`` recognises single outputs, which ``transcript``, ``unwrap_lines`` and ``mixed_outputs`` clean first;
``redact`` masks serial numbers. The runners that record and replay are in :mod:`raidctl.runners`.
"""
