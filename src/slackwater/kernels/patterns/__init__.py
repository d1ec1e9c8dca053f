"""Row patterns: the matches of a regular expression over the rows of partitions."""
