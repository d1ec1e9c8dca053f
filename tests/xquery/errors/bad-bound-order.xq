for $r in /r/a for $s in /r/b where $r bestmatch join $s on ($r, $s) subset 3 return $r
