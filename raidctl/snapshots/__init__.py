"""What is kept in databases of the state directory: one that is damaged is never written to, and nothing is lost."""
