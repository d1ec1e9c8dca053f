(: How many pieces of prose are in our database? :)
<result>{
  for $p in /site
  return count($p//description) + count($p//annotation) + count($p//emailaddress)
}</result>
