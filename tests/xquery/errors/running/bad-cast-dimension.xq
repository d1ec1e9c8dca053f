for $b in /r/b for $c in /r/a where $b bestmatch join $c on ($c) min return $b
