"""Nexmark: queries over the events of an auction, in the wording of Flink and of RisingWave."""
