-- Who may use the consoles: a row for each user, session and token, encrypted with a key that consoles hold, so that
-- nobody else can read one or make one that counts.
CREATE TABLE wafd_accounts (
  kind text NOT NULL,           -- user, session, token
  name text NOT NULL,           -- of a session or token: its digest
  body text NOT NULL,           -- encrypted JSON, bound to kind and name
  PRIMARY KEY (kind, name)
);

-- One row. Whoever changes accounts locks it and counts it up: by it consoles see that there is something new.
CREATE TABLE wafd_accounts_version (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL
);
INSERT INTO wafd_accounts_version (version) VALUES (0);

-- The audit logs of all nodes, as they are on each: a chain of digests for each node's file. `part` counts files that do
-- not go on where the one before ended.
CREATE TABLE wafd_audit (
  instance text NOT NULL,       -- the node's ring
  part integer NOT NULL,
  seq bigint NOT NULL,          -- in the file
  node text NOT NULL,
  time timestamptz NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (instance, part, seq)
);
CREATE INDEX wafd_audit_time ON wafd_audit (time, instance, part, seq);

INSERT INTO wafd_schema (version, writers_from) VALUES (7, 1);
