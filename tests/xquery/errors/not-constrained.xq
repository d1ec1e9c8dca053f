for $r in /r/a for $s in /r/b where $r constrained left outer bestmatch join $s on (abs($r - $s)) min return $r
