"""Audit the inventories of many machines on all cores, in the order of the input.

``sources`` finds inventories and cuts them into pieces; ``work`` audits one piece; ``process_pool`` several in
parallel. Only some pieces are in memory at a time.
"""
