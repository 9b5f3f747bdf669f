"""Text for people and programs. Pure functions make screens and documents from the model."""
