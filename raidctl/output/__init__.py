"""What people and programs get to see: pure functions from the model to text."""
