"""Files that are published: XML documents and rows."""
