for $r in /r/a for $s in /r/b where $r bestmatch join $s (abs($r - $s)) min return $r
