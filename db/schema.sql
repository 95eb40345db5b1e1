-- The schema after all migrations. Written by `npm run db:schema`; a test compares it. Do not edit.

-- extensions

CREATE EXTENSION pg_trgm;

-- functions

CREATE OR REPLACE FUNCTION public.app_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select clock_timestamp()$function$;

CREATE OR REPLACE FUNCTION public.app_now_ms()
 RETURNS bigint
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select (extract(epoch from app_now()) * 1000)::bigint$function$;

CREATE OR REPLACE FUNCTION public.append_logs(thread_ids text[], tokens bigint[], levels text[], tags text[], texts text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  WITH said AS (
    SELECT * FROM unnest(thread_ids, tokens, levels, tags, texts) WITH ORDINALITY AS l(thread, token, level, tag, text, n)
  ), held AS (
    SELECT t.id FROM threads t JOIN (SELECT thread, max(token) AS token FROM said GROUP BY thread) m ON m.thread = t.id AND m.token = t.lease_token
      WHERE t.status = 'running' ORDER BY t.id FOR UPDATE OF t
  ), moved AS (
    UPDATE threads t SET log_seq = t.log_seq + c.lines FROM held, (SELECT thread, count(*)::int AS lines FROM said GROUP BY thread) c
      WHERE t.id = held.id AND c.thread = t.id RETURNING t.id, t.log_seq - c.lines AS base, t.height
  )
  INSERT INTO thread_logs (thread, seq, height, level, tag, text)
    SELECT moved.id, moved.base + row_number() OVER (PARTITION BY moved.id ORDER BY said.n), moved.height, said.level, nullif(said.tag, ''), said.text
    FROM said JOIN moved ON moved.id = said.thread;
  PERFORM pg_notify('cairn_change', '');
END $function$;

CREATE OR REPLACE FUNCTION public.append_steps(steps text, contents text, runner_id text, notify boolean)
 RETURNS TABLE(thread text, control text, now_ms bigint)
 LANGUAGE plpgsql
AS $function$
DECLARE
  f text[] := string_to_array(steps, E'\x1f');
  c text[] := string_to_array(contents, E'\x1f');
  n int;
  next_event int;
  -- Threads that moved here, and contents that must have been stored before.
  moved text[] := '{}';
  elsewhere text[] := '{}';
  lost text;
BEGIN
  now_ms := app_now_ms();
  FOR n IN 0 .. array_length(f, 1) - 1 BY 18 LOOP
    thread := f[n+1];
    IF f[n+16] = '' THEN
      UPDATE threads t SET head = f[n+4], height = f[n+13]::int, steps = t.steps + f[n+5]::int, crashes = 0, updated_at = app_now()
        WHERE t.id = thread AND t.lease_token = f[n+2]::bigint AND t.head = f[n+3] AND t.status = 'running'
        RETURNING t.control INTO control;
    ELSE
      UPDATE threads t SET head = f[n+4], height = f[n+13]::int, status = f[n+16], control = NULL, return_code = f[n+17]::int,
          summary = f[n+18], finished_at = app_now(), updated_at = app_now(), runner = NULL, lease_expires_at = NULL,
          lease_token = t.lease_token + 1, event_seq = t.event_seq + 1
        WHERE t.id = thread AND t.lease_token = f[n+2]::bigint AND t.head = f[n+3] AND t.status = 'running'
        RETURNING t.control, t.event_seq INTO control, next_event;
      IF FOUND THEN
        INSERT INTO thread_events (thread, seq, type, status, height, actor, reason)
          VALUES (thread, next_event, CASE f[n+16] WHEN 'killed' THEN 'killed' ELSE 'finished' END, f[n+16], f[n+13]::int, runner_id, f[n+18]);
      END IF;
    END IF;
    IF FOUND THEN
      moved := moved || thread;
      IF f[n+11] <> ALL (c) THEN elsewhere := elsewhere || f[n+11]; END IF;
      INSERT INTO state_nodes (hash, body, refs, digest, role, start, content, parent, height, timestamp, child_thread)
        VALUES (f[n+4], f[n+6], f[n+7]::text[], decode(f[n+8], 'hex'), f[n+9], f[n+10], f[n+11], nullif(f[n+12], ''), f[n+13]::int, f[n+14]::bigint, nullif(f[n+15], ''))
        ON CONFLICT (hash) DO NOTHING;
      IF NOT FOUND THEN
        PERFORM 1 FROM state_nodes s WHERE s.hash = f[n+4] AND s.body = f[n+6];
        IF NOT FOUND THEN PERFORM cairn_raise('CA001', f[n+4]); END IF;
      END IF;
      RETURN NEXT;
    ELSE
      SELECT t.control INTO control FROM threads t WHERE t.id = thread AND t.head = f[n+4];
      IF FOUND THEN RETURN NEXT; END IF;
    END IF;
  END LOOP;
  IF contents <> '' THEN PERFORM put_contents(c, moved); END IF;
  IF elsewhere <> '{}' THEN
    SELECT e INTO lost FROM unnest(elsewhere) e WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.hash = e) LIMIT 1;
    IF FOUND THEN PERFORM cairn_raise('CA002', lost); END IF;
  END IF;
  IF notify THEN PERFORM pg_notify('cairn_change', ''); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.cairn_raise(state text, message text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$begin raise exception using errcode = state, message = message; end$function$;

CREATE OR REPLACE FUNCTION public.claim_one(runner_id text, thread_id text, lease_ms integer)
 RETURNS TABLE(id text, token bigint, workflow text, bundle text, start text, head text, height integer, steps integer, crashes integer, attempt integer, max_rounds integer, deadline_ms bigint, started_ms bigint, dry_run boolean, depth integer, start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET status = 'running', runner = runner_id, lease_token = threads.lease_token + 1,
      lease_expires_at = app_now() + lease_ms * interval '1 millisecond', attempt = threads.attempt + 1,
      started_at = coalesce(threads.started_at, app_now()), updated_at = app_now(), event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id RETURNING * INTO t;
  INSERT INTO thread_events (thread, seq, type, status, height, actor) VALUES (t.id, t.event_seq, 'claimed', 'running', t.height, runner_id);
  RETURN QUERY SELECT t.id, t.lease_token, t.workflow, t.bundle, t.start, t.head, t.height, t.steps, t.crashes, t.attempt, t.max_rounds,
      (extract(epoch from t.deadline_at) * 1000)::bigint, (extract(epoch from t.started_at) * 1000)::bigint, t.dry_run, t.depth,
      s.body, encode(s.digest, 'hex'), b.body, (extract(epoch from t.created_at) * 1000)::bigint, w.grants::text, w.limits::text, app_now_ms()
    FROM start_nodes s JOIN blobs b ON b.hash = s.prompt LEFT JOIN workflows w ON w.name = t.workflow WHERE s.hash = t.start;
END $function$;

CREATE OR REPLACE FUNCTION public.claim_threads(runner_id text, capacity integer, lease_ms integer, sweep boolean)
 RETURNS TABLE(id text, token bigint, workflow text, bundle text, start text, head text, height integer, steps integer, crashes integer, attempt integer, max_rounds integer, deadline_ms bigint, started_ms bigint, dry_run boolean, depth integer, start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  candidate record;
  taken int := 0;
BEGIN
  FOR candidate IN
    (SELECT t.id AS thread, true AS expired FROM threads t
      WHERE sweep AND t.status = 'running' AND t.lease_expires_at < app_now()
      ORDER BY t.id LIMIT capacity FOR UPDATE SKIP LOCKED)
  LOOP
    UPDATE threads t SET crashes = t.crashes + 1, event_seq = t.event_seq + 1 WHERE t.id = candidate.thread;
    INSERT INTO thread_events (thread, seq, type, status, height, actor, reason)
      SELECT t.id, t.event_seq, 'lease_expired', 'running', t.height, runner_id, 'the lease of runner ' || coalesce(t.runner, '?') || ' ran out'
      FROM threads t WHERE t.id = candidate.thread;
    taken := taken + 1;
    RETURN QUERY SELECT * FROM claim_one(runner_id, candidate.thread, lease_ms);
  END LOOP;
  FOR candidate IN
    (SELECT t.id AS thread FROM threads t
      WHERE t.status = 'queued' AND t.available_at <= app_now()
      ORDER BY t.priority DESC, t.id LIMIT capacity - taken FOR UPDATE SKIP LOCKED)
  LOOP
    taken := taken + 1;
    RETURN QUERY SELECT * FROM claim_one(runner_id, candidate.thread, lease_ms);
  END LOOP;
  IF taken > 0 THEN PERFORM pg_notify('cairn_change', ''); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.gin_extract_query_trgm(text, internal, smallint, internal, internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_query_trgm$function$;

CREATE OR REPLACE FUNCTION public.gin_extract_value_trgm(text, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_value_trgm$function$;

CREATE OR REPLACE FUNCTION public.gin_trgm_consistent(internal, smallint, text, integer, internal, internal, internal, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_consistent$function$;

CREATE OR REPLACE FUNCTION public.gin_trgm_triconsistent(internal, smallint, text, integer, internal, internal, internal)
 RETURNS "char"
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_triconsistent$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_compress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_compress$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_consistent(internal, text, smallint, oid, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_consistent$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_decompress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_decompress$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_distance(internal, text, smallint, oid, internal)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_distance$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_in(cstring)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_in$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_options(internal)
 RETURNS void
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS '$libdir/pg_trgm', $function$gtrgm_options$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_out(gtrgm)
 RETURNS cstring
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_out$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_penalty(internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_penalty$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_picksplit(internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_picksplit$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_same(gtrgm, gtrgm, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_same$function$;

CREATE OR REPLACE FUNCTION public.gtrgm_union(internal, internal)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_union$function$;

CREATE OR REPLACE FUNCTION public.heartbeat(runner_id text, thread_ids text[], tokens bigint[], lease_ms integer, refused integer)
 RETURNS TABLE(thread text, control text, now_ms bigint)
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE runners r SET heartbeat_at = app_now(), active = coalesce(array_length(thread_ids, 1), 0), stale_writes = r.stale_writes + refused WHERE r.id = runner_id;
  RETURN QUERY
    WITH mine AS (
      SELECT t.id FROM unnest(thread_ids, tokens) AS held(id, token) JOIN threads t ON t.id = held.id AND t.lease_token = held.token
        WHERE t.status = 'running' ORDER BY t.id FOR UPDATE OF t
    )
    UPDATE threads t SET lease_expires_at = app_now() + lease_ms * interval '1 millisecond' FROM mine WHERE t.id = mine.id
      RETURNING t.id, t.control, app_now_ms();
END $function$;

CREATE OR REPLACE FUNCTION public.put_contents(f text[], held text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  n int;
  content_refs text[];
  wanted text[] := '{}';
  lost text;
BEGIN
  FOR n IN 0 .. coalesce(array_length(f, 1), 0) - 1 BY 6 LOOP
    IF f[n+1] <> ALL (held) THEN
      PERFORM 1 FROM threads t WHERE t.id = f[n+1] AND t.lease_token = f[n+2]::bigint AND t.status = 'running';
      CONTINUE WHEN NOT FOUND;
    END IF;
    content_refs := f[n+4]::text[];
    IF content_refs <> '{}' THEN wanted := wanted || content_refs; END IF;
    INSERT INTO blobs (hash, type, refs, digest, body, size)
      VALUES (f[n+3], 'content', content_refs, decode(f[n+5], 'hex'), f[n+6], octet_length(f[n+6]))
      ON CONFLICT (hash) DO NOTHING;
    IF NOT FOUND THEN
      PERFORM 1 FROM blobs b WHERE b.hash = f[n+3] AND b.body = f[n+6];
      IF NOT FOUND THEN PERFORM cairn_raise('CA001', f[n+3]); END IF;
    END IF;
  END LOOP;
  -- After all are stored: contents of one call may refer to each other, and come in the order of their hashes.
  IF wanted <> '{}' THEN
    SELECT r INTO lost FROM unnest(wanted) r WHERE NOT EXISTS (SELECT 1 FROM cas WHERE cas.hash = r) LIMIT 1;
    IF FOUND THEN PERFORM cairn_raise('CA002', lost); END IF;
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.requeue_threads(runner_id text, thread_ids text[], tokens bigint[], event text, why text, delay_ms integer)
 RETURNS TABLE(thread text)
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN QUERY
    WITH mine AS (
      SELECT t.id FROM unnest(thread_ids, tokens) AS held(id, token) JOIN threads t ON t.id = held.id AND t.lease_token = held.token
        WHERE t.status = 'running' ORDER BY t.id FOR UPDATE OF t
    ), back AS (
      UPDATE threads t SET status = 'queued', runner = NULL, lease_expires_at = NULL, lease_token = t.lease_token + 1,
          crashes = t.crashes + CASE event WHEN 'crashed' THEN 1 ELSE 0 END,
          available_at = app_now() + delay_ms * interval '1 millisecond', updated_at = app_now(), event_seq = t.event_seq + 1
        FROM mine WHERE t.id = mine.id RETURNING t.id, t.event_seq, t.height
    ), told AS (
      INSERT INTO thread_events (thread, seq, type, status, height, actor, reason)
        SELECT back.id, back.event_seq, event, 'queued', back.height, runner_id, why FROM back
    )
    SELECT back.id FROM back;
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
END $function$;

CREATE OR REPLACE FUNCTION public.set_limit(real)
 RETURNS real
 LANGUAGE c
 STRICT
AS '$libdir/pg_trgm', $function$set_limit$function$;

CREATE OR REPLACE FUNCTION public.show_limit()
 RETURNS real
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_limit$function$;

CREATE OR REPLACE FUNCTION public.show_trgm(text)
 RETURNS text[]
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_trgm$function$;

CREATE OR REPLACE FUNCTION public.similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity$function$;

CREATE OR REPLACE FUNCTION public.similarity_dist(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_dist$function$;

CREATE OR REPLACE FUNCTION public.similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_op$function$;

CREATE OR REPLACE FUNCTION public.start_thread(id text, workflow text, bundle text, prompt_hash text, prompt_body text, prompt_digest text, start_hash text, start_body text, start_refs text[], start_digest text, depth integer, parent_state text, priority integer, max_rounds integer, deadline_seconds integer, dry_run boolean, tags text[], actor text, origin text, idempotency_key text, idempotency_digest text, excerpt text)
 RETURNS TABLE(thread text, created boolean, digest text, thread_status text, thread_bundle text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  p ALIAS FOR $1;
BEGIN
  INSERT INTO threads (id, workflow, bundle, status, start, head, priority, depth, max_rounds, deadline_at, dry_run, tags, actor, origin,
      idempotency_key, idempotency_digest, excerpt, event_seq)
    VALUES ($1, $2, $3, 'queued', $7, $7, $13, $11, $14, app_now() + make_interval(secs => $15), $16, $17, $18, $19, $20, $21, $22, 1)
    ON CONFLICT (idempotency_key) DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT t.id, false, t.idempotency_digest, t.status, t.bundle FROM threads t WHERE t.idempotency_key = $20;
    RETURN;
  END IF;
  INSERT INTO blobs (hash, type, digest, body, size) VALUES ($4, 'content', decode($6, 'hex'), $5, octet_length($5)) ON CONFLICT (hash) DO NOTHING;
  IF NOT FOUND THEN
    PERFORM 1 FROM blobs b WHERE b.hash = $4 AND b.body = $5;
    IF NOT FOUND THEN PERFORM cairn_raise('CA001', $4); END IF;
  END IF;
  INSERT INTO start_nodes (hash, body, refs, digest, name, bundle, depth, parent_state, prompt)
    VALUES ($7, $8, $9, decode($10, 'hex'), $2, $3, $11, $12, $4) ON CONFLICT (hash) DO NOTHING;
  IF NOT FOUND THEN
    PERFORM 1 FROM start_nodes s WHERE s.hash = $7 AND s.body = $8;
    IF NOT FOUND THEN PERFORM cairn_raise('CA001', $7); END IF;
  END IF;
  INSERT INTO thread_events (thread, seq, type, status, height, actor) VALUES ($1, 1, 'queued', 'queued', 0, $18);
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
  RETURN QUERY SELECT $1, true, $21, 'queued'::text, $3;
END $function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_op$function$;

CREATE OR REPLACE FUNCTION public.strict_word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_commutator_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_op$function$;

CREATE OR REPLACE FUNCTION public.word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_op$function$;

-- sequences

CREATE SEQUENCE registry_events_seq_seq AS bigint START 1 INCREMENT 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY registry_events.seq;

-- tables

CREATE TABLE api_keys (
  id text NOT NULL,
  label text NOT NULL,
  key_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE blobs (
  hash text NOT NULL,
  type text NOT NULL,
  body text,
  raw bytea,
  refs text[] DEFAULT '{}'::text[] NOT NULL,
  digest bytea NOT NULL,
  size integer NOT NULL,
  media_type text,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT blobs_one_body CHECK (((body IS NULL) <> (raw IS NULL))),
  CONSTRAINT blobs_pkey PRIMARY KEY (hash)
);

CREATE TABLE bundles (
  hash text NOT NULL,
  source text NOT NULL,
  digest bytea NOT NULL,
  descriptor json NOT NULL,
  types text,
  size integer NOT NULL,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT bundles_pkey PRIMARY KEY (hash)
);

CREATE TABLE registry_events (
  seq bigint DEFAULT nextval('registry_events_seq_seq'::regclass) NOT NULL,
  workflow text NOT NULL,
  type text NOT NULL,
  before text,
  after text,
  actor text NOT NULL,
  note text,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT registry_events_pkey PRIMARY KEY (seq)
);

CREATE TABLE runners (
  id text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  node_version text NOT NULL,
  capacity integer NOT NULL,
  active integer DEFAULT 0 NOT NULL,
  labels text[] DEFAULT '{}'::text[] NOT NULL,
  sandbox text[] DEFAULT '{}'::text[] NOT NULL,
  started_at timestamp with time zone DEFAULT app_now() NOT NULL,
  heartbeat_at timestamp with time zone DEFAULT app_now() NOT NULL,
  stopped_at timestamp with time zone,
  stale_writes integer DEFAULT 0 NOT NULL,
  CONSTRAINT runners_pkey PRIMARY KEY (id)
) WITH (fillfactor=60);

CREATE TABLE sessions (
  id text NOT NULL,
  link_hash bytea NOT NULL,
  link_expires_at timestamp with time zone NOT NULL,
  token_hash bytea,
  opened_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
);

CREATE TABLE start_nodes (
  hash text NOT NULL,
  body text NOT NULL,
  refs text[] NOT NULL,
  digest bytea NOT NULL,
  name text NOT NULL,
  bundle text NOT NULL,
  depth integer NOT NULL,
  parent_state text,
  prompt text NOT NULL,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT start_nodes_pkey PRIMARY KEY (hash)
);

CREATE TABLE state_nodes (
  hash text NOT NULL,
  body text NOT NULL,
  refs text[] NOT NULL,
  digest bytea NOT NULL,
  role text NOT NULL,
  start text NOT NULL,
  content text NOT NULL,
  parent text,
  height integer NOT NULL,
  compact text,
  child_thread text,
  "timestamp" bigint NOT NULL,
  CONSTRAINT state_nodes_pkey PRIMARY KEY (hash)
);

CREATE TABLE thread_events (
  thread text NOT NULL,
  seq integer NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  height integer NOT NULL,
  actor text NOT NULL,
  reason text,
  data jsonb DEFAULT '{}'::jsonb NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT thread_events_thread_seq_pk PRIMARY KEY (thread, seq)
);

CREATE TABLE thread_logs (
  thread text NOT NULL,
  seq integer NOT NULL,
  height integer NOT NULL,
  level text NOT NULL,
  tag text,
  text text NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT thread_logs_thread_seq_pk PRIMARY KEY (thread, seq)
);

CREATE TABLE threads (
  id text NOT NULL,
  workflow text NOT NULL,
  bundle text NOT NULL,
  status text NOT NULL,
  control text,
  start text NOT NULL,
  head text NOT NULL,
  height integer DEFAULT 0 NOT NULL,
  steps integer DEFAULT 0 NOT NULL,
  priority integer DEFAULT 0 NOT NULL,
  available_at timestamp with time zone DEFAULT app_now() NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  crashes integer DEFAULT 0 NOT NULL,
  lease_token bigint DEFAULT 0 NOT NULL,
  lease_expires_at timestamp with time zone,
  runner text,
  depth integer DEFAULT 0 NOT NULL,
  parent_thread text,
  source_thread text,
  max_rounds integer,
  deadline_at timestamp with time zone,
  dry_run boolean DEFAULT false NOT NULL,
  tags text[] DEFAULT '{}'::text[] NOT NULL,
  actor text NOT NULL,
  origin text NOT NULL,
  idempotency_key text,
  idempotency_digest text,
  excerpt text NOT NULL,
  return_code integer,
  summary text,
  event_seq integer DEFAULT 0 NOT NULL,
  log_seq integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  updated_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT threads_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500, fillfactor=60);

CREATE TABLE workflows (
  name text NOT NULL,
  current text NOT NULL,
  state text DEFAULT 'active'::text NOT NULL,
  version bigint NOT NULL,
  grants jsonb DEFAULT '{}'::jsonb NOT NULL,
  limits jsonb DEFAULT '{}'::jsonb NOT NULL,
  updated_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT workflows_pkey PRIMARY KEY (name)
);

-- indexes that no constraint made

CREATE UNIQUE INDEX api_keys_key_hash ON public.api_keys USING btree (key_hash);

CREATE INDEX blobs_rare ON public.blobs USING btree (type, hash) WHERE (type <> 'content'::text);

CREATE INDEX blobs_refs ON public.blobs USING gin (refs) WHERE (refs <> '{}'::text[]);

CREATE INDEX registry_events_history ON public.registry_events USING btree (workflow, seq);

CREATE UNIQUE INDEX sessions_link_hash ON public.sessions USING btree (link_hash);

CREATE UNIQUE INDEX sessions_token_hash ON public.sessions USING btree (token_hash);

CREATE INDEX start_nodes_parent ON public.start_nodes USING btree (parent_state) WHERE (parent_state IS NOT NULL);

CREATE INDEX start_nodes_prompt ON public.start_nodes USING btree (prompt);

CREATE INDEX state_nodes_child ON public.state_nodes USING btree (child_thread) WHERE (child_thread IS NOT NULL);

CREATE INDEX state_nodes_compact ON public.state_nodes USING btree (compact) WHERE (compact IS NOT NULL);

CREATE INDEX state_nodes_content ON public.state_nodes USING btree (content);

CREATE INDEX threads_by_actor ON public.threads USING btree (actor, id);

CREATE INDEX threads_by_bundle ON public.threads USING btree (bundle, id);

CREATE INDEX threads_by_start ON public.threads USING btree (start);

CREATE INDEX threads_by_status ON public.threads USING btree (status, id);

CREATE INDEX threads_by_tag ON public.threads USING gin (tags);

CREATE INDEX threads_by_text ON public.threads USING gin (excerpt gin_trgm_ops);

CREATE INDEX threads_by_workflow ON public.threads USING btree (workflow, status, id);

CREATE UNIQUE INDEX threads_idempotency ON public.threads USING btree (idempotency_key);

CREATE INDEX threads_queued ON public.threads USING btree (priority DESC, id) WHERE (status = 'queued'::text);

CREATE INDEX threads_running ON public.threads USING btree (id) WHERE (status = 'running'::text);

-- views

CREATE VIEW cas AS
 SELECT blobs.hash,
    blobs.type,
    blobs.body,
    blobs.raw,
    blobs.refs,
    blobs.digest,
    blobs.size,
    blobs.media_type,
    blobs.created_at
   FROM blobs
UNION ALL
 SELECT start_nodes.hash,
    'start'::text AS type,
    start_nodes.body,
    NULL::bytea AS raw,
    start_nodes.refs,
    start_nodes.digest,
    octet_length(start_nodes.body) AS size,
    NULL::text AS media_type,
    start_nodes.created_at
   FROM start_nodes
UNION ALL
 SELECT state_nodes.hash,
    'state'::text AS type,
    state_nodes.body,
    NULL::bytea AS raw,
    state_nodes.refs,
    state_nodes.digest,
    octet_length(state_nodes.body) AS size,
    NULL::text AS media_type,
    to_timestamp((state_nodes."timestamp"::numeric / 1000.0)::double precision) AS created_at
   FROM state_nodes;
