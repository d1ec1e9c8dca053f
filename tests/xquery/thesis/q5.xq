<query5>
  { for $i in /site/closed_auctions/closed_auction
    where $i/price >= 40
    return
      $i/price }
</query5>
