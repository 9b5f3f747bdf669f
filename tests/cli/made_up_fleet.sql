-- Rows of 10,000 machines on four days. host0 has lost battery and write-back on the third day, host1 is silent on the
-- last day, host2 could never be read completely. A line "-- TABLE" begins the rows of a table.
-- drives
SELECT 'host' || h AS host, TIMESTAMP '2026-11-01 02:00:00' + INTERVAL (d) DAY AS collected_at, h <> 2 AS complete,
       'EXAMPLE ' || CASE WHEN n < 2 THEN '8T' ELSE '4T' END || ' S' || h || '-' || n AS drive_key,
       CASE WHEN n < 2 THEN 'EXAMPLE 8T' ELSE 'EXAMPLE 4T' END AS model, 'S' || h || '-' || n AS serial,
       CASE WHEN h % 10 = 0 THEN 'A003' ELSE 'A004' END AS firmware, '32' AS enclosure, n::VARCHAR AS bay,
       CASE WHEN n = 0 AND h % 1000 = 10 AND d = 3 THEN 'critical' ELSE 'ok' END AS status,
       CASE WHEN n = 0 AND h IN (20, 30) THEN d * h WHEN n = 3 THEN NULL ELSE 0 END AS media_errors,
       CASE WHEN n = 3 AND h = 5 THEN 90 + d END AS life_used_percent
FROM range(10000) t(h), range(4) u(d), range(4) v(n) WHERE NOT (h = 1 AND d = 3)
UNION ALL BY NAME
SELECT 'spare-host' AS host, TIMESTAMP '2026-11-04 02:00:00' AS collected_at, true AS complete,
       'EXAMPLE 8T S7-0' AS drive_key, 'EXAMPLE 8T' AS model, 'S7-0' AS serial, 'ok' AS status
-- volumes
SELECT 'host' || h AS host, TIMESTAMP '2026-11-01 02:00:00' + INTERVAL (d) DAY AS collected_at, true AS complete,
       'x:0/v0' AS volume, CASE WHEN h <> 9 THEN 'raid6' END AS raid_level, 'protected_write_back' AS write_policy,
       CASE WHEN h = 0 AND d >= 2 THEN 'write_through' WHEN h = 3 THEN NULL ELSE 'write_back' END AS write_active,
       CASE WHEN h = 0 AND d >= 2 THEN 'The battery has failed.' END AS why_not_in_force,
       CASE h WHEN 8 THEN 0 WHEN 9 THEN NULL ELSE 2 END AS failures_tolerated
FROM range(10000) t(h), range(4) u(d)
-- batteries
SELECT 'host' || h AS host, TIMESTAMP '2026-11-01 02:00:00' + INTERVAL (d) DAY AS collected_at, true AS complete,
       'x:0' AS controller, 'x:0/battery0' AS battery, false AS replace,
       CASE WHEN h = 0 AND d >= 2 THEN 'failed' WHEN h = 4 THEN 'unknown' WHEN h = 6 THEN 'learning' ELSE 'ok' END
         AS status
FROM range(10000) t(h), range(4) u(d)
-- findings
SELECT 'host' || h AS host, TIMESTAMP '2026-11-01 02:00:00' + INTERVAL (d) DAY AS collected_at, true AS complete,
       'site.toml' AS policy, 'raid_level' AS rule, 'x:0/v0' AS object,
       CASE h % 100 WHEN 0 THEN 'fail' WHEN 1 THEN 'unknown' ELSE 'pass' END AS outcome,
       CASE WHEN h = 100 THEN '2027-01-31' END AS waived_until
FROM range(10000) t(h), range(4) u(d)
