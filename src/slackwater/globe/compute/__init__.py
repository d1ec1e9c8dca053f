"""A task of a deployment, computed in this process, epoch by epoch."""
