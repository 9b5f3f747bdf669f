"""Weigh the evidence of measurements and inventory. Which kind of cache acknowledges early? Pure.

``evidence`` has the facts, ``early_acknowledgement`` the table that weighs them, ``decision`` the next tests. A pass
needs evidence of durability; a promise that is merely not refuted is inconclusive.
"""
