for $r in /r/a for $s in /r/b where $r bestmatch join $s on (abs($r - $s)) min "1" return $r
