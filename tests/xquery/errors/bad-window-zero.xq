for $w in /r/a|count 0| return $w
