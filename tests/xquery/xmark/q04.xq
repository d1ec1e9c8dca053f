(: List the reserves of those open auctions where a certain person issued a bid before another person. :)
<result>{
  for $b in /site/open_auctions/open_auction
  where
    some $pr1 in $b/bidder/personref[@person = "person221"],
         $pr2 in $b/bidder/personref[@person = "person210"]
    satisfies $pr1 << $pr2
  return <history>{ $b/reserve/text() }</history>
}</result>
