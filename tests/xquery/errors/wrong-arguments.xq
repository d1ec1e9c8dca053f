count(/r/a, /r/b)
