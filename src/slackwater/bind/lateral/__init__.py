"""What looks at earlier items of FROM: arrays in their rows, and queries."""
