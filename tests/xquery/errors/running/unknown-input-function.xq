udf:median(/r/b)
