"""From XQuery and a schema to FluX: normal form, simplification, handlers, buffers."""
