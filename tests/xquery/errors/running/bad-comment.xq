/r/comment { "a--b" }
