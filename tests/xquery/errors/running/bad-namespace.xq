attribute { concat("xm", "lns") } { 1 }
