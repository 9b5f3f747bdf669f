"""Many machines: inventories on all cores, or the machines over ssh.

Inventories are audited in the order of the input: ``sources`` finds them and cuts them into pieces; ``work`` audits one
piece; ``process_pool`` several in parallel. Only some pieces are in memory at a time.

For ``--hosts``, ``hosts`` reads lists and Ansible inventories (``inventory``), ``host_threads`` asks several hosts at a
time, and ``report`` is the answer.
"""
