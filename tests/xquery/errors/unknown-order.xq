for $r in /r/a for $s in /r/b where $r bestmatch join $s on ($r, $s) subsett, (abs($r - $s)) least 5 return $r
