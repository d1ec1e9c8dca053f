"""Storage: files of this machine, or of another filesystem, under one interface."""
