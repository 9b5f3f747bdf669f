"""JSON and text of storcli, storcli2, perccli and perccli2 as one outline."""
