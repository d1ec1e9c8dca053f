/r/a 5
