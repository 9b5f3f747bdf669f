"""A fuzzer for the readers.

It damages outputs of tools, and checks what must hold of whatever is concluded from them.
"""
