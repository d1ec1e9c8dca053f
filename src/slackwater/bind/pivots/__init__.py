"""PIVOT and UNPIVOT: values that become columns, and columns that become rows."""
