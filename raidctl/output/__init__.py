"""Text for people and programs: pure functions from the model and reports to screens and documents.

Each command's screen is a module named after the command. ``console``, ``table``, ``grid``, ``sentences`` and
``phrases`` are the parts that screens are made of; ``json``, ``nagios``, ``prometheus`` and ``audit_formats`` are for
programs, ``report`` is a page. Live screens, progress bars and ``http_server`` write what they show; all else returns
text. Nothing here reads a machine.
"""
