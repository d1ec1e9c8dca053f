declare function local:f() { 1 }; declare function local:f() { 2 }; local:f()
