for $r in /r/a|count 2| for $s in /r/b where $r bestmatch join $s on ($s) min return $r
