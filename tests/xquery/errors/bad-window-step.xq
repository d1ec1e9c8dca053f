for $w in /r/a|count 4 step 1.5| return $w
