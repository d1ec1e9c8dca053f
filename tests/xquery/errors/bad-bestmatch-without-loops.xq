let $r := /r/a let $s := /r/b where $r bestmatch join $s on ($r - $s) min return $r
