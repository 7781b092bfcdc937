-- Free text without its index: which three bytes in a row a row's searched texts have, as bits (forward/query_sql,
-- TrigramSignature). It only says which rows cannot hold a word, so that their records are not read. Null: not known, as in
-- rows of before and of older writers. Beside the row it would cost what it saves, so it always stands in it.
ALTER TABLE wafd_events ADD COLUMN trigrams bit(1024);
ALTER TABLE wafd_events ALTER COLUMN trigrams SET STORAGE PLAIN;

-- As in version 8, and stored as the other days are.
CREATE OR REPLACE FUNCTION wafd_make_days(first date, last date) RETURNS integer
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
      EXECUTE format('CREATE TABLE %I (LIKE wafd_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES '
                     'INCLUDING STORAGE) WITH (toast_tuple_target = 128)', name);
      EXECUTE format('ALTER TABLE wafd_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, at, at + 1);
      made := made + 1;
    END IF;
    at := at + 1;
  END LOOP;
  RETURN made;
END $$;

INSERT INTO wafd_schema (version, writers_from) VALUES (10, 1);
