"""A Spark on this machine, and the Java that it runs on."""
