"""The output of raidctl-mfi.

``reader`` reads its JSON into the family's drafts, ``tables`` lists the keys, ``volume`` the policies and states. The
tool itself is in ``vendors/raidctl_mfi``.
"""
