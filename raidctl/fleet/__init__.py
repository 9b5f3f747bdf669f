"""Many machines: inventories on all cores, or the machines over ssh.

Inventories are audited in the order of the input: ``sources`` finds them and cuts them into pieces; ``audit_piece``
audits one, or ``rows`` makes rows of it; ``process_pool`` works on several in parallel; ``newest`` counts only the
newest inventory of each host. Only some pieces are in memory at a time.

For ``--hosts``, ``hosts`` reads lists and Ansible inventories (``inventory``), ``host_threads`` reads several hosts at
a time, and ``report`` is the ``--json`` document.
"""
