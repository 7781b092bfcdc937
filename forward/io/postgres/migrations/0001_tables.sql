-- Events by day, and what is told beside them. A day is that of `time` in UTC, so an event that is written again
-- has the same key again.
CREATE TABLE wafd_events (
  day date NOT NULL,
  event_id uuid NOT NULL,
  time timestamptz NOT NULL,
  node text NOT NULL,
  seq bigint NOT NULL,          -- in the node's ring
  site text NOT NULL,
  action text NOT NULL,
  attack_type text NOT NULL,
  risk text NOT NULL,
  src_ip inet,                  -- null: no address; the record has the text
  host text NOT NULL,
  path text NOT NULL,
  rule text NOT NULL,
  status integer,               -- of the response, where a report came in time
  record jsonb NOT NULL,        -- the 58 members
  detail jsonb,                 -- findings; null where request text is left out
  PRIMARY KEY (day, event_id)
) PARTITION BY RANGE (day);

CREATE INDEX wafd_events_time ON wafd_events USING brin (time);

CREATE TABLE wafd_notices (
  node text NOT NULL,
  kind text NOT NULL,           -- gap, audit, alive, test
  notice_id text NOT NULL,
  time timestamptz NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (node, kind, notice_id)
);

INSERT INTO wafd_schema (version, writers_from) VALUES (1, 1);
