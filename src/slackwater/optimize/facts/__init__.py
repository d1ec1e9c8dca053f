"""Facts about plans and expressions that follow from their shape; rules depend on them."""
