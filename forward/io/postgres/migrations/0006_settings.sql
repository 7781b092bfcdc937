-- The settings of all nodes: a row a version. Whoever changes them inserts the next one, which names the version that it
-- was made of; the key lets one of two in.
CREATE TABLE wafd_settings (
  version bigint PRIMARY KEY CHECK (version BETWEEN 1 AND 4503599627370496),
  parent bigint NOT NULL,       -- 0: the first
  change_id text NOT NULL CHECK (octet_length(change_id) BETWEEN 1 AND 64),  -- random: by it whoever lost the answer to COMMIT knows its own row
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  author text NOT NULL CHECK (octet_length(author) <= 128),
  node text NOT NULL CHECK (octet_length(node) <= 255),  -- on whose console it was made
  comment text NOT NULL CHECK (octet_length(comment) <= 1024),
  document text NOT NULL,       -- JSON, without secrets
  sealed text NOT NULL,         -- JSON: the secrets by their places, encrypted with a key that nodes hold
  CHECK (octet_length(document) + octet_length(sealed) <= 67108864)
);

INSERT INTO wafd_schema (version, writers_from) VALUES (6, 1);
