"""The shell `slackwater sql`: its statements, and how they are read from a terminal or from a file."""
