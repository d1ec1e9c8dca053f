"""The reference: what a plan means, in plain Python; slow, obvious, the oracle of every test."""
