"""From the text of an XQuery to tokens."""
