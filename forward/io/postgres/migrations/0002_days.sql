-- Days are made and dropped by functions of the tables' owner, so that a node needs no right on tables but INSERT.
-- The search_path is the one of this migration: the schema of the tables, and nothing that others may write to.
CREATE FUNCTION wafd_make_days(first date, last date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  at date := first;
  name text;
  made integer := 0;
BEGIN
  IF last - first > 62 THEN
    RAISE EXCEPTION 'wafd_make_days: % to % are more than 62 days', first, last;
  END IF;
  PERFORM pg_advisory_xact_lock(2002871909);
  WHILE at <= last LOOP
    name := 'wafd_events_' || to_char(at, 'YYYYMMDD');
    IF to_regclass(quote_ident(name)) IS NULL THEN
      -- Attached, which neither readers nor writers of the other days wait for.
      EXECUTE format('CREATE TABLE %I (LIKE wafd_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', name);
      EXECUTE format('ALTER TABLE wafd_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, at, at + 1);
      made := made + 1;
    END IF;
    at := at + 1;
  END LOOP;
  RETURN made;
END $$;

-- Drops what is older than `before`, and today never. Answers how many days went. Whoever reads the table for long is
-- not waited for: the next hour comes.
CREATE FUNCTION wafd_drop_days(before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '3s' AS $$
DECLARE
  name text;
  dropped integer := 0;
BEGIN
  before := least(before, (now() AT TIME ZONE 'UTC')::date);
  PERFORM pg_advisory_xact_lock(2002871909);
  FOR name IN
    SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = pg_inherits.inhrelid
    WHERE pg_inherits.inhparent = 'wafd_events'::regclass AND child.relname ~ '^wafd_events_[0-9]{8}$'
      AND to_date(right(child.relname, 8), 'YYYYMMDD') < before
  LOOP
    EXECUTE format('DROP TABLE %I', name);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM wafd_notices WHERE time < before;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION wafd_make_days(date, date), wafd_drop_days(date) FROM PUBLIC;

INSERT INTO wafd_schema (version, writers_from) VALUES (2, 1);
