"""One judgment of a machine: what is wrong, how bad it is, and how many drive failures it survives. Pure."""
