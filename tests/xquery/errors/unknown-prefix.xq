/r/p:a
