"""What the author of a vendor package reads: the protocol, the draft of an object, tools, plans of changes."""
