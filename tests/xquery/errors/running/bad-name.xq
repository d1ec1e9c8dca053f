element { concat("1", /r/a) } { 1 }
