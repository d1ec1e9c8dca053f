<query_win>
  { for $w in /site/open_auctions/open_auction|count 10 step 5|
    return
      <max_item>
        {fn:max($w/current)}
      </max_item> }
</query_win>
