declare function local:dist($one, $other) { abs($one - $other) };
for $op in /agency/project
for $p in /agency/person
where $op left outer bestmatch join $p on
  (local:dist($op/location, $p/location)) min,
  ($p/grade) max,
  ($p/experience) max
return <post project="{$op/@id}" person="{$p/@id}"/>
