count(/r/b) idiv count(/r/none)
