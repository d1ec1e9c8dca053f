/r/a = "abc
