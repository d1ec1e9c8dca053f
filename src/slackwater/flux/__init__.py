"""FluX: XQuery over XML streams, what a query means and how it is computed with the smallest buffers."""
