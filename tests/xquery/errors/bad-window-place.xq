count(/r/a|count 4|)
