-- The queries of Nexmark that Spark's Structured Streaming has other words for. The others are Flink's.

-- q8
SELECT P.id, P.name, P.w.start
FROM (
  SELECT id, name, window(dateTime, '10 seconds') AS w FROM person GROUP BY id, name, window(dateTime, '10 seconds')
) P
JOIN (
  SELECT seller, window(dateTime, '10 seconds') AS w FROM auction GROUP BY seller, window(dateTime, '10 seconds')
) A
ON P.id = A.seller AND P.w = A.w;

-- q11
SELECT bidder, COUNT(*), session_window.start, session_window.end
FROM bid GROUP BY bidder, session_window(dateTime, '3 seconds');

-- q12
SELECT bidder, COUNT(*), window.start, window.end FROM bid GROUP BY bidder, window(dateTime, '10 seconds');

-- q13
SELECT B.auction, B.bidder, B.price, B.dateTime, S.value FROM bid B JOIN side_input S ON B.auction % 10 = S.key;

-- q22
SELECT auction, bidder, price, channel, SPLIT_PART(url, '/', 4), SPLIT_PART(url, '/', 5), SPLIT_PART(url, '/', 6)
FROM bid;
