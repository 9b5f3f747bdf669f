"""Layouts: a machine's volumes and spares as a file. Pure, except ``applying`` and ``machine_facts``.

``specification`` is the content of a file, ``document`` reads one, ``export`` writes one; ``compare`` compares a
machine with it; ``plan`` and ``stages`` are the steps to it, and ``applying`` carries them out. A format of another
provisioner goes into ``provisioners`` (reading) and ``export_formats`` (writing).
"""
