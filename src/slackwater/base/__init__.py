"""What everything stands on: spans, diagnostics, time. Imports nothing of ours."""
