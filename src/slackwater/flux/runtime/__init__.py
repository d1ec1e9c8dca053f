"""The machine that the events of a document drive, and what it reads and writes."""
