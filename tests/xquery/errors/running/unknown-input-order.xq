for $b in /r/b for $c in /r/b where $b bestmatch join $c on ($b, $c) udf:near return $b
