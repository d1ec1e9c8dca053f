for $b in /r/b for $c in /r where $b bestmatch join $c on ($c/b) min return $b
