"""Plans explained: as text, as JSON and as a picture."""
