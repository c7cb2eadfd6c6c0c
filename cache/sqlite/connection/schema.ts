/**
 * Defines the store's tables as numbered migrations, which never change once released. `user_version` counts the
 * migrations of a database. A program rejects a database with more migrations than it knows.
 *
 * Keys are 32-byte digests. `id`s are the database's own numbers and have no meaning elsewhere. `sum` is an xxh64 of
 * the row's content (see rows.ts), checked on each read. Rows with a `preimage` are checked against their key instead.
 */
export const applicationId = 0x70697065

/** The statements that create and upgrade the schema, by version. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE preimage (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, preimage TEXT NOT NULL);
  CREATE TABLE instance (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, preimage TEXT NOT NULL);
  CREATE TABLE record (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, preimage TEXT NOT NULL);

  -- What a response key stands for; there from the moment the request is planned.
  CREATE TABLE request (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
    instance INTEGER NOT NULL REFERENCES instance, config INTEGER NOT NULL REFERENCES preimage,
    code INTEGER NOT NULL REFERENCES preimage, sample INTEGER NOT NULL);
  -- seq grows in the order of commits, which is how a judge learns of new answers.
  CREATE TABLE response (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, request INTEGER NOT NULL UNIQUE REFERENCES request,
    digest BLOB NOT NULL, body TEXT NOT NULL, meta TEXT NOT NULL, sum INTEGER NOT NULL);

  CREATE TABLE run (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, name TEXT NOT NULL, asked TEXT NOT NULL, provenance TEXT NOT NULL,
    created INTEGER NOT NULL, started INTEGER NOT NULL, sum INTEGER NOT NULL);
  CREATE TABLE input_progress (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, task INTEGER NOT NULL, docs INTEGER NOT NULL,
    finished INTEGER NOT NULL, PRIMARY KEY (run, task)) WITHOUT ROWID;
  CREATE TABLE item (
    id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    task INTEGER NOT NULL, doc INTEGER NOT NULL, choice INTEGER NOT NULL, sample INTEGER NOT NULL,
    doc_id TEXT NOT NULL, request INTEGER REFERENCES request, record INTEGER NOT NULL REFERENCES record, sum INTEGER NOT NULL);
  CREATE UNIQUE INDEX item_place ON item (run, task, doc, choice, sample);
  CREATE INDEX item_run ON item (run);
  CREATE INDEX item_request ON item (request);

  CREATE TABLE failure (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE, request INTEGER REFERENCES request,
    class TEXT NOT NULL, message TEXT NOT NULL, attempts INTEGER NOT NULL, permanent INTEGER NOT NULL,
    owner INTEGER NOT NULL, at INTEGER NOT NULL, sum INTEGER NOT NULL);
  CREATE INDEX failure_item ON failure (item);
  CREATE INDEX failure_request ON failure (request);
  CREATE INDEX failure_run ON failure (run);

  CREATE TABLE owner (
    id INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, boot TEXT NOT NULL, pid INTEGER NOT NULL, start TEXT NOT NULL,
    seen INTEGER NOT NULL, UNIQUE (host, boot, pid, start));
  CREATE TABLE lease (
    request INTEGER PRIMARY KEY REFERENCES request, owner INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE, token INTEGER NOT NULL);
  CREATE INDEX lease_owner ON lease (owner);
  CREATE TABLE input_lease (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, task INTEGER NOT NULL,
    owner INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE, PRIMARY KEY (run, task)) WITHOUT ROWID;
  CREATE TABLE working (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, owner INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE,
    PRIMARY KEY (run, owner)) WITHOUT ROWID;
  CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO counter VALUES ('lease-token', 0), ('blank-texts', 0);

  CREATE TABLE judgement (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, number INTEGER NOT NULL,
    tasks TEXT NOT NULL, created INTEGER NOT NULL, finished INTEGER, aggregates TEXT, sum INTEGER NOT NULL,
    UNIQUE (run, number));
  -- Records that a judgement uses instead of the run's own: targets that were mended after the run.
  CREATE TABLE revision (
    judgement INTEGER NOT NULL REFERENCES judgement ON DELETE CASCADE, task INTEGER NOT NULL, doc INTEGER NOT NULL,
    record INTEGER NOT NULL REFERENCES record, PRIMARY KEY (judgement, task, doc)) WITHOUT ROWID;
  CREATE TABLE score (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, answers BLOB NOT NULL, record INTEGER NOT NULL REFERENCES record,
    config INTEGER NOT NULL REFERENCES preimage, scorer INTEGER NOT NULL REFERENCES preimage,
    body TEXT NOT NULL, sum INTEGER NOT NULL, outcome TEXT NOT NULL);
  CREATE INDEX score_failed ON score (outcome) WHERE outcome NOT IN ('scored', 'unparsed');
  CREATE TABLE verdict (
    judgement INTEGER NOT NULL REFERENCES judgement ON DELETE CASCADE, task INTEGER NOT NULL, doc INTEGER NOT NULL,
    score INTEGER NOT NULL REFERENCES score, PRIMARY KEY (judgement, task, doc)) WITHOUT ROWID;
  CREATE INDEX verdict_score ON verdict (score);

  -- Files on disk that media of a run were read from, to notice when one is edited under its name.
  CREATE TABLE run_file (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, path TEXT NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (run, path)) WITHOUT ROWID;

  -- Digests of files that were read before, good while path, size and time of modification stay the same.
  CREATE TABLE file_memo (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified TEXT NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
  `,
  `
  -- What one process tells the next and no result depends on.
  CREATE TABLE memory (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, text TEXT NOT NULL, sum INTEGER NOT NULL);
  `,
  `
  -- Requests handed in to a provider together. progress is what is known of it there, as JSON.
  CREATE TABLE batch (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, address TEXT NOT NULL, requests INTEGER NOT NULL,
    progress TEXT NOT NULL, created INTEGER NOT NULL, owner INTEGER REFERENCES owner ON DELETE SET NULL, sum INTEGER NOT NULL);
  -- What it still holds. A request is in one open batch at most.
  CREATE TABLE batch_request (
    request INTEGER PRIMARY KEY REFERENCES request, batch INTEGER NOT NULL REFERENCES batch ON DELETE CASCADE);
  CREATE INDEX batch_request_batch ON batch_request (batch, request);
  `,
  `
  -- Null in rows that an older version wrote.
  ALTER TABLE input_progress ADD COLUMN sum INTEGER;
  ALTER TABLE run_file ADD COLUMN sum INTEGER;
  `,
  `
  -- The jobs of a service. id gives the order of submission, uuid is the id that clients use.
  CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, idempotency_key TEXT UNIQUE,
    job_group TEXT NOT NULL, priority INTEGER NOT NULL, labels TEXT NOT NULL, request TEXT NOT NULL,
    submitter TEXT, webhook TEXT, created INTEGER NOT NULL,
    status TEXT NOT NULL, started INTEGER, finished INTEGER, starts INTEGER NOT NULL, cancelling INTEGER NOT NULL,
    run TEXT, result TEXT, error TEXT, attempts INTEGER NOT NULL, webhook_due INTEGER NOT NULL,
    owner INTEGER REFERENCES owner ON DELETE SET NULL, token INTEGER NOT NULL, sum INTEGER NOT NULL);
  -- There are many finished jobs. These indexes find the open ones without reading the finished ones.
  CREATE INDEX job_queue ON job (priority DESC, id, job_group) WHERE status = 'queued';
  CREATE INDEX job_status ON job (status, id);
  CREATE INDEX job_finished ON job (finished, id) WHERE finished IS NOT NULL;
  CREATE INDEX job_webhook ON job (finished, id) WHERE webhook_due = 1;
  CREATE INDEX job_owner ON job (owner) WHERE owner IS NOT NULL;
  CREATE TABLE job_event (
    id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE, number INTEGER NOT NULL,
    at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, sum INTEGER NOT NULL, UNIQUE (job, number));

  -- The number of jobs by status. Clients poll it, so triggers keep it up to date.
  CREATE TABLE job_count (status TEXT PRIMARY KEY, jobs INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO job_count VALUES ('queued', 0), ('running', 0), ('completed', 0), ('failed', 0), ('cancelled', 0);
  CREATE TRIGGER job_added AFTER INSERT ON job BEGIN
    UPDATE job_count SET jobs = jobs + 1 WHERE status = new.status;
  END;
  CREATE TRIGGER job_moved AFTER UPDATE OF status ON job WHEN old.status <> new.status BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE status = old.status;
    UPDATE job_count SET jobs = jobs + 1 WHERE status = new.status;
  END;
  CREATE TRIGGER job_removed AFTER DELETE ON job BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE status = old.status;
  END;

  -- The access tokens of the service, without their secrets.
  CREATE TABLE token (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scope TEXT NOT NULL, hash TEXT NOT NULL,
    created INTEGER NOT NULL, expires INTEGER, sum INTEGER NOT NULL);
  `,
  `
  -- A service evaluates thousands of runs, and each evaluation needs the run that was started last.
  CREATE INDEX run_started ON run (started);
  `,
  `
  -- What people say of answers. record and answers are keys, not references: a label outlives the run it was made in.
  CREATE TABLE label (
    id INTEGER PRIMARY KEY AUTOINCREMENT, record BLOB NOT NULL, answers BLOB NOT NULL, label TEXT, note TEXT NOT NULL,
    author TEXT NOT NULL, at INTEGER NOT NULL, run TEXT NOT NULL, task TEXT NOT NULL, doc TEXT NOT NULL, sum INTEGER NOT NULL);
  CREATE INDEX label_content ON label (record, answers);
  -- From the few labels to the docs of a run that they belong to, without reading the run's docs.
  CREATE INDEX item_record ON item (record, run);
  CREATE INDEX revision_record ON revision (record);

  CREATE TABLE run_tag (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, tag TEXT NOT NULL,
    sum INTEGER NOT NULL, UNIQUE (run, tag));
  `,
  `
  -- The runs that lists show, without those that hold another run's requests. words is the text that a search looks at.
  -- A list of many runs reads only this table, which is small, and then the few runs that it shows.
  CREATE TABLE run_list (started INTEGER NOT NULL, run INTEGER NOT NULL, words TEXT NOT NULL, PRIMARY KEY (started, run)) WITHOUT ROWID;
  CREATE VIEW listed_run AS SELECT started, id AS run,
    name || ' ' || coalesce(json_extract(asked, '$.model.backend'), '')
      || coalesce((SELECT group_concat(' ' || substr(value, 1, 200), '') FROM json_each(asked, '$.model.args') WHERE type = 'text'), '')
      || coalesce((SELECT group_concat(' ' || json_extract(value, '$.name'), '') FROM json_each(asked, '$.groups')), '')
      || coalesce((SELECT group_concat(' ' || json_extract(value, '$.name'), '') FROM json_each(asked, '$.tasks')), '') AS words
    FROM run WHERE CASE WHEN json_valid(asked)
      THEN json_type(asked, '$.judge') IS NULL AND json_type(asked, '$.rounds') IS NULL ELSE 0 END;
  INSERT INTO run_list SELECT started, run, words FROM listed_run;
  CREATE TRIGGER run_added AFTER INSERT ON run BEGIN
    INSERT INTO run_list SELECT started, run, words FROM listed_run WHERE run = new.id;
  END;
  CREATE TRIGGER run_changed AFTER UPDATE OF name, asked, started ON run BEGIN
    DELETE FROM run_list WHERE started = old.started AND run = old.id;
    INSERT INTO run_list SELECT started, run, words FROM listed_run WHERE run = new.id;
  END;
  CREATE TRIGGER run_removed AFTER DELETE ON run BEGIN
    DELETE FROM run_list WHERE started = old.started AND run = old.id;
  END;
  CREATE INDEX run_name ON run (name, key);
  `,
  `
  -- Tables are as before. From here on, judgement.tasks describes code that tasks share once, which older programs cannot
  -- read.
  `,
  `
  -- The stage that comes next, if workers of some stages did those before it. Null in a job that begins with the first one.
  ALTER TABLE job ADD COLUMN stage TEXT;
  `,
  `
  -- What a process told of itself with its last heartbeat.
  ALTER TABLE owner ADD COLUMN answers INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE owner ADD COLUMN per_second REAL NOT NULL DEFAULT 0;
  CREATE INDEX job_waiting ON job (stage, created) WHERE status = 'queued';
  `,
]

/** The name of the database file in a store's folder. */
export const databaseName = 'store.sqlite'
