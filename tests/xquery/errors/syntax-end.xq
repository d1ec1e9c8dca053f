for $x in
