/r/a[text()
