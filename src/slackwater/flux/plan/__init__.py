"""Queries of FluX: XQuery with handlers of events, its terms, and what is kept for them."""
