for $r in /points/r
for $s in /points/s
where $r left outer bestmatch join $s on (abs($r/@y1 - $s/@y1)) min, (abs($r/@y2 - $s/@y2)) min
return <pair r="{$r/@id}" s="{$s/@id}"/>
