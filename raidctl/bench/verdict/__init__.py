"""Weigh the evidence of measurements and inventory: which kind of cache acknowledges early? Pure.

``evidence`` is what was found out, ``early`` the table that weighs it. A pass needs evidence of durability; what is
only not refuted is inconclusive.
"""
