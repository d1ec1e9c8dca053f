"""Windows: when elements of a stream are in them, and rows with the windows or sessions that they are in."""
