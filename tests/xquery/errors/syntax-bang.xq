!empty(/r)
