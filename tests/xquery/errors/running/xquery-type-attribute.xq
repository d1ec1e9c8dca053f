/r/@n
