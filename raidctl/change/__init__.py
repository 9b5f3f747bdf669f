"""Change settings: plan, check for risks, journal, carry out, verify, undo. One engine for all families.

* :mod:`raidctl.vendor.plan`: desired settings and the steps that reach them; values only.
* :mod:`raidctl.change.plan_inventory`: the plan of a machine, made by the families; ``deed_plans`` plans deeds.
* :mod:`raidctl.change.guard`: which desired settings could lose data, and are refused without ``--unsafe``.
* :mod:`raidctl.change.journal`: what is changed, on disk before it happens.
* :mod:`raidctl.change.engine`: carries out a plan, reads the settings again, undoes a failed change.
* :mod:`raidctl.change.restore`: restores the settings that a killed raidctl left changed.
"""
