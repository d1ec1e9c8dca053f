"""From FluX to functions of Python: demands on a document, and what is written when they are met."""
