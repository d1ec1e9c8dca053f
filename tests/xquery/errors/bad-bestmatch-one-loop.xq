for $r in /r/a for $s in /r/b where $r bestmatch join $r on (abs($r - $s)) min return $r
