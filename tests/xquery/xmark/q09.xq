(: List the names of persons and the names of the items they bought in Europe. :)
<result>{
  let $ca := /site/closed_auctions/closed_auction
  let $ei := /site/regions/europe/item
  for $p in /site/people/person
  let $a :=
    for $t in $ca
    where $p/@id = $t/buyer/@person
    return
      let $n := for $t2 in $ei where $t/itemref/@item = $t2/@id return $t2
      return <item>{ $n/name/text() }</item>
  return <person name="{ $p/name/text() }">{ $a }</person>
}</result>
