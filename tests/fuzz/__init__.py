"""A fuzzer for the readers: damaged outputs of tools, and what must hold of whatever is concluded from them."""
