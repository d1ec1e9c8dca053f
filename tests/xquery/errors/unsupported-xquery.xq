import module namespace m = "urn:m"; m:f()
