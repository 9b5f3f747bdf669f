"""The interface for vendor packages. It has the protocol, drafts of objects, tools, and plans of changes."""
