declare function local:f($x as xs:intger) { $x }; local:f(1)
