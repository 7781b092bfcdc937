-- Which change made a version of the accounts: by it a console knows whether its own was made though nobody heard of the
-- commit, and that another version of the same number is another one (a backup was put back).
ALTER TABLE wafd_accounts_version ADD COLUMN change_id text NOT NULL DEFAULT '' CHECK (octet_length(change_id) <= 64);

INSERT INTO wafd_schema (version, writers_from) VALUES (9, 1);
