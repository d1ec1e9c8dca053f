for $r in /tagged/r
for $s in /tagged/s
where $r bestmatch join $s
  on (fn:abs($r/y1 - $s/y1)) min, ($r/y2, $s/y2) subset
return <pair r="{$r/@id}" s="{$s/@id}"/>
