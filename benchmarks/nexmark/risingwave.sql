-- The queries of Nexmark as users of RisingWave write them; see also alike.sql. A line "-- q5" begins a query.
-- Not here: q11 to q13, which RisingWave has none of, and q21, which indexes the array of REGEXP_MATCH.

-- q2
SELECT auction, price FROM bid WHERE auction IN (1003, 1006, 1009, 1012);

-- q6
SELECT Q.seller, AVG(Q.final)
FROM (
  SELECT ROW_NUMBER() OVER (PARTITION BY A.id, A.seller ORDER BY B.price) AS rank, A.seller, B.price AS final, B.date_time
  FROM auction A, bid B
  WHERE A.id = B.auction AND B.date_time BETWEEN A.date_time AND A.expires
) AS Q
WHERE Q.rank <= 10
GROUP BY Q.seller;

-- q10
SELECT auction, bidder, price, date_time,
  TO_CHAR(date_time, 'YYYY-MM-DD') AS date, TO_CHAR(date_time, 'HH:MI') AS time
FROM bid;

-- q14
SELECT auction, bidder, 0.908 * price AS price,
  CASE
    WHEN EXTRACT(HOUR FROM date_time) >= 8 AND EXTRACT(HOUR FROM date_time) <= 18 THEN 'dayTime'
    WHEN EXTRACT(HOUR FROM date_time) <= 6 OR EXTRACT(HOUR FROM date_time) >= 20 THEN 'nightTime'
    ELSE 'otherTime'
  END AS bid_time_type,
  date_time, extra, LENGTH(extra) - LENGTH(REPLACE(extra, 'c', '')) AS c_counts
FROM bid
WHERE 0.908 * price > 100 AND 0.908 * price < 500;

-- q22
SELECT auction, bidder, price, channel,
  SPLIT_PART(url, '/', 4) AS dir1, SPLIT_PART(url, '/', 5) AS dir2, SPLIT_PART(url, '/', 6) AS dir3
FROM bid;
