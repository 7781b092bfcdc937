-- The settings of all nodes: a row a version. Whoever changes them inserts the next one, which names the version that it
-- was made of; the key lets one of two in.
CREATE TABLE wafd_settings (
  version bigint PRIMARY KEY,
  parent bigint NOT NULL,       -- 0: the first
  change_id text NOT NULL,      -- random: by it whoever lost the answer to COMMIT knows its own row
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  author text NOT NULL,
  node text NOT NULL,           -- on whose console it was made
  comment text NOT NULL,
  document text NOT NULL,       -- JSON, without secrets
  sealed text NOT NULL          -- JSON: the secrets by their places, encrypted with a key that nodes hold
);

INSERT INTO wafd_schema (version, writers_from) VALUES (6, 1);
