for $b in /r/b for $c in /r/b where $b bestmatch join $c on (abs($b - $c)) min (2 - 5) return $b
