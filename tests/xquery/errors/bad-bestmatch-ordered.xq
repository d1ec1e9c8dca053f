for $r in /r/a order by $r for $s in /r/b where $r bestmatch join $s on ($r - $s) min return $r
