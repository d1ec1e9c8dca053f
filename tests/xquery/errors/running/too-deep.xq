declare function local:f($x) { local:f($x + 1) }; local:f(1)
