declare function local:f() { /r }; local:f()
