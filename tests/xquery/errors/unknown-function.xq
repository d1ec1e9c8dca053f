cuont(/r/a)
