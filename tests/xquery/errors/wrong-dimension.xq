for $r in /r/a for $s in /r/b where $r bestmatch join $s on ($r, $s) min 3, ($r) subset return $r
