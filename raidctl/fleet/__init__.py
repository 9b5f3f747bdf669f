"""Many machines: finds recorded inventories, and holds a policy against them on all cores, in the order of the input.

``sources`` finds and cuts what there is into pieces; ``work`` does one piece; ``crew`` does several side by side.
However many inventories there are, only some pieces are in memory at a time.
"""
