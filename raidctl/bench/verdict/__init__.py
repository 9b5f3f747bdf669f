"""What kind of cache acknowledges early? The evidence of measurements and inventory weighed. Pure.

``evidence`` is what was found out, ``early`` the table that weighs it. A pass needs evidence of durability; what is
only not refuted is inconclusive.
"""
