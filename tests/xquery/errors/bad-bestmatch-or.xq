for $r in /r/a for $s in /r/b where $r/x or $r bestmatch join $s on (1) min return $r
