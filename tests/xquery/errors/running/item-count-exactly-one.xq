exactly-one(/r/b)
