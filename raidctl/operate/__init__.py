"""Working on arrays beyond settings: checks, spares, and what speaks against a step. Pure, but for kept results."""
