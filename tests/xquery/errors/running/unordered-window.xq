for $w in /r/b|diff 5| return count($w)
