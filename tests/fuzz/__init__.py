"""A fuzzer for the readers.

It damages outputs of tools, and checks that the conclusions from them are never better.
"""
