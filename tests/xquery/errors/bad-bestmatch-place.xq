for $r in /a return if ($r left outer bestmatch join /b on (1) min) then 1 else 2
