declare function local:common($r, $s) { $r[. = $s] };
declare function local:subset($r, $s, $other_r, $other_s) as xs:boolean {
  every $value in local:common($other_r, $other_s) satisfies $value = local:common($r, $s)
};
for $r in /tagged/r
for $s in /tagged/s
where $r bestmatch join $s
  on (fn:abs($r/y1 - $s/y1)) min, ($r/y2, $s/y2) local:subset
return <pair r="{$r/@id}" s="{$s/@id}"/>
