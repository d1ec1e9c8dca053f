for $b in /r/b for $c in /r/b where $b bestmatch join $c on (abs($b - $c)) min (/r/none) return $b
