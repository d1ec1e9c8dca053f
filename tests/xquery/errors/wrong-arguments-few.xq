contains("a")
