(: Give an alphabetically ordered list of all items along with their location. :)
<result>{
  for $b in /site/regions//item
  let $k := $b/name/text()
  order by zero-or-one($b/location) ascending empty greatest
  return <item name="{ $k }">{ $b/location/text() }</item>
}</result>
