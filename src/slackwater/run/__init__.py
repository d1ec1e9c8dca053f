"""Physical plans on Spark: epochs, state, checkpoints, recovery."""
