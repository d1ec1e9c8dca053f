-- What DuckDB answers over the rows of an instant. "-- q6 flink" is the answer of one wording only.

-- q0
SELECT auction, bidder, price, date_time, extra FROM bid;

-- q1
SELECT auction, bidder, 0.908 * price, date_time, extra FROM bid;

-- q2
SELECT auction, price FROM bid WHERE auction % 3 = 0;

-- q2 risingwave
SELECT auction, price FROM bid WHERE auction IN (1003, 1006, 1009, 1012);

-- q3
SELECT p.name, p.city, p.state, a.id FROM auction a JOIN person p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');

-- q4
WITH final AS (
  SELECT a.id, a.category, max(b.price) AS price FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.date_time >= a.date_time AND b.date_time <= a.expires GROUP BY ALL
)
SELECT category, avg(price) FROM final GROUP BY category;

-- q5
WITH hops AS (
  SELECT auction, time_bucket(INTERVAL 2 SECOND, date_time) - INTERVAL (2 * k) SECOND AS start
  FROM bid, range(5) AS r(k)
), counts AS (SELECT auction, start, count(*) AS num FROM hops GROUP BY ALL)
SELECT auction, num FROM counts c WHERE num = (SELECT max(num) FROM counts d WHERE d.start = c.start);

-- q6 flink
WITH best AS (
  SELECT a.id, a.seller, b.price, b.date_time FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.date_time BETWEEN a.date_time AND a.expires
  QUALIFY row_number() OVER (PARTITION BY a.id, a.seller ORDER BY b.price DESC, b.date_time) = 1
)
SELECT seller, avg(price) OVER (PARTITION BY seller ORDER BY date_time, price ROWS 10 PRECEDING) FROM best;

-- q6 risingwave
WITH lowest AS (
  SELECT a.seller, b.price FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.date_time BETWEEN a.date_time AND a.expires
  QUALIFY row_number() OVER (PARTITION BY a.id, a.seller ORDER BY b.price) <= 10
)
SELECT seller, avg(price) FROM lowest GROUP BY seller;

-- q7
WITH highest AS (
  SELECT time_bucket(INTERVAL 10 SECOND, date_time) AS start, max(price) AS price FROM bid GROUP BY ALL
)
SELECT b.auction, b.price, b.bidder, b.date_time, b.extra FROM bid b JOIN highest h
ON b.price = h.price AND b.date_time >= h.start AND b.date_time <= h.start + INTERVAL 10 SECOND;

-- q8
SELECT DISTINCT p.id, p.name, time_bucket(INTERVAL 10 SECOND, p.date_time)
FROM person p JOIN auction a
ON p.id = a.seller AND time_bucket(INTERVAL 10 SECOND, a.date_time) = time_bucket(INTERVAL 10 SECOND, p.date_time);

-- q9
SELECT a.id, a.item_name, a.seller, a.category, b.auction, b.bidder, b.price, b.date_time
FROM auction a JOIN bid b ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
QUALIFY row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time) = 1;

-- q10 flink
SELECT auction, bidder, price, date_time, extra, strftime(date_time, '%Y-%m-%d'), strftime(date_time, '%H:%M')
FROM bid;

-- q10 risingwave
SELECT auction, bidder, price, date_time, strftime(date_time, '%Y-%m-%d'), strftime(date_time, '%I:%M') FROM bid;

-- q11
WITH gaps AS (
  SELECT bidder, date_time,
    coalesce(date_time - lag(date_time) OVER (PARTITION BY bidder ORDER BY date_time) > INTERVAL 3 SECOND, true) AS new
  FROM bid
), numbered AS (
  SELECT bidder, date_time, sum(new::INT) OVER (PARTITION BY bidder ORDER BY date_time) AS session FROM gaps
)
SELECT bidder, count(*), min(date_time), max(date_time) + INTERVAL 3 SECOND FROM numbered GROUP BY bidder, session;

-- q12
SELECT bidder, count(*), time_bucket(INTERVAL 10 SECOND, date_time) AS start, start + INTERVAL 10 SECOND
FROM bid GROUP BY bidder, start;

-- q13
SELECT b.auction, b.bidder, b.price, b.date_time, s.value FROM bid b JOIN side_input s ON b.auction % 10 = s.key;

-- q14
SELECT auction, bidder, 0.908 * price,
  CASE WHEN hour(date_time) BETWEEN 8 AND 18 THEN 'dayTime'
       WHEN hour(date_time) <= 6 OR hour(date_time) >= 20 THEN 'nightTime' ELSE 'otherTime' END,
  date_time, extra, length(extra) - length(replace(extra, 'c', ''))
FROM bid WHERE 0.908 * price > 100 AND 0.908 * price < 500;

-- q15
SELECT strftime(date_time, '%Y-%m-%d') AS day, count(*), count(*) FILTER (price < 200),
  count(*) FILTER (price >= 200 AND price < 400), count(*) FILTER (price >= 400),
  count(DISTINCT bidder), count(DISTINCT bidder) FILTER (price < 200),
  count(DISTINCT auction), count(DISTINCT auction) FILTER (price >= 400)
FROM bid GROUP BY day;

-- q16
SELECT channel, strftime(date_time, '%Y-%m-%d') AS day, max(strftime(date_time, '%H:%M')), count(*),
  count(*) FILTER (price < 200), count(DISTINCT bidder) FILTER (price >= 200 AND price < 400),
  count(DISTINCT auction)
FROM bid GROUP BY channel, day;

-- q17
SELECT auction, strftime(date_time, '%Y-%m-%d') AS day, count(*), count(*) FILTER (price < 200),
  min(price), max(price), avg(price), sum(price)
FROM bid GROUP BY auction, day;

-- q18
SELECT auction, bidder, price, channel, url, date_time, extra FROM bid
QUALIFY row_number() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC) = 1;

-- q19
SELECT *, row_number() OVER (PARTITION BY auction ORDER BY price DESC) AS place FROM bid QUALIFY place <= 3;

-- q20
SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.date_time, b.extra,
  a.item_name, a.description, a.initial_bid, a.reserve, a.date_time, a.expires, a.seller, a.category
FROM bid b JOIN auction a ON b.auction = a.id WHERE a.category = 10;

-- q21
-- REGEXP_EXTRACT is Spark's: without a match it is an empty text, not NULL as in Flink, and all rows stay.
SELECT auction, bidder, price, channel,
  CASE lower(channel) WHEN 'apple' THEN '0' WHEN 'google' THEN '1' WHEN 'facebook' THEN '2' WHEN 'baidu' THEN '3'
  ELSE regexp_extract(url, 'channel_id=([^&]*)', 1) END
FROM bid;

-- q22
SELECT auction, bidder, price, channel, split_part(url, '/', 4), split_part(url, '/', 5), split_part(url, '/', 6)
FROM bid;
