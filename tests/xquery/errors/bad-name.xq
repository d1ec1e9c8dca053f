element {"1a"} { element a:b { 1 } }
