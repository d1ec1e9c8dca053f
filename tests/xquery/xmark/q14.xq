(: Return the names of all items whose description contains the word gold. :)
<result>{
  for $i in /site//item
  where contains(string(exactly-one($i/description)), "gold")
  return $i/name/text()
}</result>
