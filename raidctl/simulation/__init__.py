"""Simulated machines: the demos, and executables that simulate their tools.

``demo`` lists the machines of ``--demo``; ``runner`` is the runner of one; ``executables`` writes its tools as
programs. How a tool replies and a controller changes is in the family's ``simulator``.
"""
