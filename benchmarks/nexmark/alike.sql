-- The queries of Nexmark that users of Flink and of RisingWave write alike, with the names of RisingWave's tables:
-- Flink's are in camel case, dateTime for date_time. {hops} and other names in braces are what the two have other
-- words for (texts.py). A line "-- q5" begins a query.

-- q0
SELECT auction, bidder, price, date_time, extra FROM bid;

-- q1
SELECT auction, bidder, 0.908 * price AS price, date_time, extra FROM bid;

-- q3
SELECT P.name, P.city, P.state, A.id
FROM auction AS A INNER JOIN person AS P ON A.seller = P.id
WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA');

-- q4
SELECT Q.category, AVG(Q.final)
FROM (
  SELECT MAX(B.price) AS final, A.category
  FROM auction A, bid B
  WHERE A.id = B.auction AND B.date_time BETWEEN A.date_time AND A.expires
  GROUP BY A.id, A.category
) Q
GROUP BY Q.category;

-- q5
SELECT Counts.auction, Counts.num
FROM (
  SELECT auction, COUNT(*) AS num, window_start AS starttime, window_end AS endtime
  FROM {hops}
  GROUP BY auction, window_start, window_end
) AS Counts
JOIN (
  SELECT MAX(PerAuction.num) AS maxn, PerAuction.starttime, PerAuction.endtime
  FROM (
    SELECT COUNT(*) AS num, window_start AS starttime, window_end AS endtime
    FROM {hops}
    GROUP BY auction, window_start, window_end
  ) AS PerAuction
  GROUP BY PerAuction.starttime, PerAuction.endtime
) AS Largest
ON Counts.starttime = Largest.starttime AND Counts.endtime = Largest.endtime AND Counts.num >= Largest.maxn;

-- q7
SELECT B.auction, B.price, B.bidder, B.date_time, B.extra
FROM bid B
JOIN (
  SELECT MAX(price) AS maxprice, window_end AS date_time
  FROM {bids}
  GROUP BY window_start, window_end
) B1
ON B.price = B1.maxprice
WHERE B.date_time BETWEEN B1.date_time - INTERVAL '10' SECOND AND B1.date_time;

-- q8
SELECT P.id, P.name, P.starttime
FROM (
  SELECT id, name, window_start AS starttime, window_end AS endtime
  FROM {persons}
  GROUP BY id, name, window_start, window_end
) P
JOIN (
  SELECT seller, window_start AS starttime, window_end AS endtime
  FROM {auctions}
  GROUP BY seller, window_start, window_end
) A
ON P.id = A.seller AND P.starttime = A.starttime AND P.endtime = A.endtime;

-- q9
SELECT id, item_name, seller, category, auction, bidder, price, bid_date_time
FROM (
  SELECT A.*, B.auction, B.bidder, B.price, B.date_time AS bid_date_time, B.extra AS bid_extra,
    ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.date_time ASC) AS rownum
  FROM auction A, bid B
  WHERE A.id = B.auction AND B.date_time BETWEEN A.date_time AND A.expires
)
WHERE rownum <= 1;

-- q15
SELECT {day} AS day,
  COUNT(*) AS total_bids,
  COUNT(*) FILTER (WHERE price < 200) AS rank1_bids,
  COUNT(*) FILTER (WHERE price >= 200 AND price < 400) AS rank2_bids,
  COUNT(*) FILTER (WHERE price >= 400) AS rank3_bids,
  COUNT(DISTINCT bidder) AS total_bidders,
  COUNT(DISTINCT bidder) FILTER (WHERE price < 200) AS rank1_bidders,
  COUNT(DISTINCT auction) AS total_auctions,
  COUNT(DISTINCT auction) FILTER (WHERE price >= 400) AS rank3_auctions
FROM bid
GROUP BY {day};

-- q16
SELECT channel, {day} AS day,
  MAX({minute}) AS minute,
  COUNT(*) AS total_bids,
  COUNT(*) FILTER (WHERE price < 200) AS rank1_bids,
  COUNT(DISTINCT bidder) FILTER (WHERE price >= 200 AND price < 400) AS rank2_bidders,
  COUNT(DISTINCT auction) AS total_auctions
FROM bid
GROUP BY channel, {day};

-- q17
SELECT auction, {day} AS day,
  COUNT(*) AS total_bids,
  COUNT(*) FILTER (WHERE price < 200) AS rank1_bids,
  MIN(price) AS min_price, MAX(price) AS max_price, AVG(price) AS avg_price, SUM(price) AS sum_price
FROM bid
GROUP BY auction, {day};

-- q18
SELECT auction, bidder, price, channel, url, date_time, extra
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC) AS rank_number
  FROM bid
)
WHERE rank_number <= 1;

-- q19
SELECT * FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid
)
WHERE rank_number <= 3;

-- q20
SELECT auction, bidder, price, channel, url, B.date_time, B.extra,
  item_name, description, initial_bid, reserve, A.date_time AS auction_time, expires, seller, category
FROM bid AS B INNER JOIN auction AS A ON B.auction = A.id
WHERE A.category = 10;
