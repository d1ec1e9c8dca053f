for $r in /r/a for $t in /r/c for $s in /r/b where $r bestmatch join $s on ($r - $s) min return $r
