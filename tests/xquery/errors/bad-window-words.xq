for $w in /r/a|count four| return $w
