"""Best-match joins: pairs of rows that no pair of their group dominates, by the eps-grid order."""
