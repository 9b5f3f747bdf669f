"""Text for people and programs: pure functions from the model to screens and documents."""
