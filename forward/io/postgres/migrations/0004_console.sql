-- What consoles need beside the events: places for what people say of them and for which nodes there are, which this
-- version makes and does not write yet.
ALTER TABLE wafd_events
  ADD COLUMN state text NOT NULL DEFAULT 'open',      -- open, closed
  ADD COLUMN label text NOT NULL DEFAULT '',          -- true_positive, false_positive
  ADD COLUMN note text NOT NULL DEFAULT '',
  ADD COLUMN triage_by text NOT NULL DEFAULT '',
  ADD COLUMN triage_at timestamptz;                   -- null: nobody said anything

-- Copies of events that outlive their day.
CREATE TABLE wafd_pins (
  event_id uuid PRIMARY KEY,
  pinned_by text NOT NULL,
  pinned_at timestamptz NOT NULL,
  event text NOT NULL           -- as the API answers it
);

-- A row a node, by wafd_beat. `instance` is the node's ring: two nodes of one name are two rows.
CREATE TABLE wafd_nodes (
  node text NOT NULL,
  instance text NOT NULL,
  seen timestamptz NOT NULL,    -- by the clock of the database
  clock timestamptz NOT NULL,   -- by that of the node
  body jsonb NOT NULL,
  PRIMARY KEY (node, instance)
);

-- By a function of the owner, so that a node reads and changes no row but its own.
CREATE FUNCTION wafd_beat(node_name text, node_instance text, node_clock timestamptz, said jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO wafd_nodes (node, instance, seen, clock, body)
  VALUES (node_name, node_instance, clock_timestamp(), node_clock, said)
  ON CONFLICT (node, instance) DO UPDATE SET seen = excluded.seen, clock = excluded.clock, body = excluded.body
$$;

REVOKE ALL ON FUNCTION wafd_beat(text, text, timestamptz, jsonb) FROM PUBLIC;

INSERT INTO wafd_schema (version, writers_from) VALUES (4, 1);
