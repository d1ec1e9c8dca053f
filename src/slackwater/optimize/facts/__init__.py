"""What can be said of plans and expressions by looking at them; rules ask, and compute nothing."""
