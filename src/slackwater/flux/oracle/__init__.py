"""The oracle of XQuery: what a query means, from its definitions, over whole trees. Only tests import it."""
