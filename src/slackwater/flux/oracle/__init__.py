"""The oracle of XQuery: evaluates a query over whole trees, from the definitions. Only tests import it."""
