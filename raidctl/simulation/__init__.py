"""Machines that are not there: the demos, and the tools that play them."""
