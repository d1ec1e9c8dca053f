declare function local:near($r, $s) { abs($r - $s) };
for $r in /r/a for $s in /r/b where $r bestmatch join $s on ($r, $s) local:near return $r
