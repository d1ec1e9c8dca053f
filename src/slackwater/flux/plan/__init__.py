"""Queries of FluX: XQuery with handlers of events, its terms, and the state they need."""
