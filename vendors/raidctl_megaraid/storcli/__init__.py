"""JSON and text of storcli, storcli2, perccli and perccli2 as one outline.

``from_json`` and ``from_text`` make the outline; ``reader`` is the entry. Sections are read by ``controller``,
``storage`` (volumes, drives, arrays) and the modules named after an object. New labels go into the tables
``controller_labels``, ``settings`` and ``battery_labels``; new columns beside the function that reads the row.
"""
