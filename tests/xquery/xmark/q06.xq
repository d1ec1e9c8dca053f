(: How many items are listed on all continents? :)
<result>{
  for $b in //site/regions return count($b//item)
}</result>
