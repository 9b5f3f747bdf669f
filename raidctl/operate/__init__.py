"""Work on arrays and drives beyond settings: removal, replacement, checks, spares.

* ``removal``: may this drive be pulled? ``*_guards`` are the numbered reasons against a deed, ``*_behind`` those for
  drives behind a controller. docs/replace.md has the numbers.
* ``stages`` and ``stages_behind``: the stages of a replacement; ``replacing`` carries them out.
* ``checks``, ``spares``, ``alarms``, ``hardware_reports``: what the show commands print.

Pure, except for stored results (``check_history``) and dialogues. A new guard is a function here and a row there.
"""
