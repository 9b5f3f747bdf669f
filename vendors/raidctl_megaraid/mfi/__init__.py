"""The output of raidctl-mfi."""
