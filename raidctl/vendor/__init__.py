"""The interface for vendor packages: protocol, drafts of objects, tools, plans of changes."""
