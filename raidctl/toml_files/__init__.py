"""TOML files that people write. All mistakes are reported at once, each with its line and a suggestion."""
