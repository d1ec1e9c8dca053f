"""Backfill: queries that are added to a checkpoint are computed over what was read before."""
