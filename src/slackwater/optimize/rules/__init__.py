"""The rewrite rules, a file for each kind of operator; `phases.py` lists them."""
