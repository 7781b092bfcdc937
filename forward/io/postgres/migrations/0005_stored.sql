-- When a row was stored, by the clock of the database: the live tail asks what is new, whatever its time is. Of rows
-- that are older than this column it is null.
ALTER TABLE wafd_events ADD COLUMN stored timestamptz;
ALTER TABLE wafd_events ALTER COLUMN stored SET DEFAULT clock_timestamp();
-- Of no row yet, so it is made at once.
CREATE INDEX wafd_events_stored ON wafd_events (stored DESC) WHERE stored IS NOT NULL;

-- One event is asked for by its id alone, and what people say of many.
CREATE INDEX wafd_events_id ON wafd_events (event_id);

-- Nodes that said nothing for 30 days are forgotten.
CREATE OR REPLACE FUNCTION wafd_beat(node_name text, node_instance text, node_clock timestamptz, said jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM wafd_nodes WHERE seen < clock_timestamp() - interval '30 days';
  INSERT INTO wafd_nodes (node, instance, seen, clock, body)
  VALUES (node_name, node_instance, clock_timestamp(), node_clock, said)
  ON CONFLICT (node, instance) DO UPDATE SET seen = excluded.seen, clock = excluded.clock, body = excluded.body
$$;

INSERT INTO wafd_schema (version, writers_from) VALUES (5, 1);
