"""storcli, storcli2, perccli and perccli2: their JSON and their text, brought to one outline."""
