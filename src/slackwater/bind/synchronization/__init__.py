"""SyncSQL: relations of streams, their time points, and conditions on the current time."""
