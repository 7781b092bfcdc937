-- What a response report says that came behind the event: added by a function of the owner, so that a node needs no
-- right to change rows, and can add to an event nothing else.
ALTER TABLE wafd_events ADD COLUMN response_size bigint;  -- bytes of the response's body; null: no report

-- A list of the newest reads no more rows than it shows: days come in order, and within each this index.
CREATE INDEX wafd_events_newest ON wafd_events (day DESC, time DESC, event_id DESC);

-- Arrays side by side, in the order in which reports came; a later one of an event knows what the earlier said.
CREATE FUNCTION wafd_add_reports(days date[], ids uuid[], statuses integer[], sizes bigint[], members jsonb[])
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE wafd_events AS event
  SET status = coalesce(report.status, event.status), response_size = report.size,
      record = event.record || report.said
  FROM (
    SELECT DISTINCT ON (day, id) day, id, status, size,
           jsonb_build_object('rsp_start_time', member->'rsp_start_time', 'rsp_end_time', member->'rsp_end_time',
                              'resp_reason_phrase', member->'resp_reason_phrase') AS said
    FROM unnest(days, ids, statuses, sizes, members) WITH ORDINALITY AS given(day, id, status, size, member, place)
    ORDER BY day, id, place DESC
  ) AS report
  WHERE event.day = report.day AND event.event_id = report.id
    AND (event.response_size IS DISTINCT FROM report.size OR event.status IS DISTINCT FROM coalesce(report.status, event.status)
         OR NOT event.record @> report.said)
$$;

-- Drops the oldest days while all together take more than `most` bytes, and today never. Answers how many went.
CREATE FUNCTION wafd_drop_bytes(most bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '3s' AS $$
DECLARE
  part record;
  dropped integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(2002871909);
  FOR part IN
    SELECT name, date FROM (
      SELECT child.relname AS name, to_date(right(child.relname, 8), 'YYYYMMDD') AS date,
             sum(pg_total_relation_size(child.oid)) OVER (ORDER BY child.relname DESC) AS bytes
      FROM pg_inherits JOIN pg_class child ON child.oid = pg_inherits.inhrelid
      WHERE pg_inherits.inhparent = 'wafd_events'::regclass AND child.relname ~ '^wafd_events_[0-9]{8}$'
    ) AS days
    WHERE bytes > most AND date < (now() AT TIME ZONE 'UTC')::date
  LOOP
    EXECUTE format('DROP TABLE %I', part.name);
    DELETE FROM wafd_notices WHERE time < (part.date + 1)::timestamp AT TIME ZONE 'UTC';
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION wafd_add_reports(date[], uuid[], integer[], bigint[], jsonb[]), wafd_drop_bytes(bigint)
FROM PUBLIC;

INSERT INTO wafd_schema (version, writers_from) VALUES (3, 1);
