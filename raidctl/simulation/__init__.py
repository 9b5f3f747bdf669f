"""Simulated machines: the demos, and executables that simulate their tools.

``demo`` lists the machines of ``--demo``; ``runner`` is the runner of one; ``executables`` writes its tools as
programs, whose ``moods`` are ways to fail. How a tool replies and a controller changes is in the family's
``simulator``.
"""
