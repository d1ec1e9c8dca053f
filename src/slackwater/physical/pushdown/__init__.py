"""What the JVM can do beside a scan, so that fewer rows leave it."""
