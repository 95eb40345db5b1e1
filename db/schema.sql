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
    UPDATE threads t SET log_seq = t.log_seq + c.lines, log_bytes = t.log_bytes + c.bytes
      FROM held, (SELECT thread, count(*)::int AS lines, sum(octet_length(text) + 64) AS bytes FROM said GROUP BY thread) c
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
  ended threads%ROWTYPE;
  who text;
  wrote boolean;
  -- Threads that moved here, and objects that must have been stored before.
  moved text[] := '{}';
  elsewhere text[] := '{}';
BEGIN
  now_ms := app_now_ms();
  FOR n IN 0 .. array_length(f, 1) - 1 BY 18 LOOP
    thread := f[n+1];
    IF f[n+16] = '' THEN
      UPDATE threads t SET head = f[n+4], height = f[n+13]::int, steps = t.steps + f[n+5]::int, crashes = 0, updated_at = app_now()
        WHERE t.id = thread AND t.lease_token = f[n+2]::bigint AND t.head = f[n+3] AND t.status = 'running'
        RETURNING t.control INTO control;
      wrote := FOUND;
    ELSE
      SELECT CASE f[n+16] WHEN 'killed' THEN coalesce(t.control_actor, runner_id) ELSE runner_id END INTO who FROM threads t WHERE t.id = thread;
      UPDATE threads t SET head = f[n+4], height = f[n+13]::int, status = f[n+16], control = NULL, control_actor = NULL, control_reason = NULL,
          return_code = f[n+17]::int, summary = f[n+18], finished_at = app_now(), updated_at = app_now(), runner = NULL,
          lease_expires_at = NULL, lease_token = t.lease_token + 1, event_seq = t.event_seq + 1
        WHERE t.id = thread AND t.lease_token = f[n+2]::bigint AND t.head = f[n+3] AND t.status = 'running'
        RETURNING * INTO ended;
      wrote := FOUND;
      IF wrote THEN
        control := NULL;
        PERFORM tell(ended, CASE ended.status WHEN 'killed' THEN 'killed' ELSE 'finished' END, who, f[n+18]);
        PERFORM thread_ended(ended, who);
        IF ended.return_code = 255 THEN PERFORM count_crash(ended, NULL, f[n+18]); END IF;
      END IF;
    END IF;
    IF wrote THEN
      moved := moved || thread;
      IF f[n+11] <> ALL (c) THEN elsewhere := elsewhere || f[n+11]; END IF;
      IF f[n+15] <> '' THEN elsewhere := elsewhere || f[n+15]; END IF;
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
  IF elsewhere <> '{}' THEN PERFORM cas_reuse(elsewhere); END IF;
  IF notify THEN PERFORM pg_notify('cairn_change', ''); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.ask_runner(thread_id text, asked text, asks text, event text, who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET control = asks, control_actor = CASE WHEN asks IS NULL THEN NULL ELSE who END,
      control_reason = CASE WHEN asks IS NULL THEN NULL ELSE why END, updated_at = app_now(), event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id AND threads.status = 'running' AND threads.control IS NOT DISTINCT FROM asked
    RETURNING * INTO t;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM tell(t, event, who, why);
  PERFORM pg_notify('cairn_control', ''), pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.cairn_raise(state text, message text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$begin raise exception using errcode = state, message = message; end$function$;

CREATE OR REPLACE FUNCTION public.cas_reuse(hashes text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  h text;
  touched timestamptz;
  fresh timestamptz;
  old text[] := '{}';
BEGIN
  IF hashes = '{}' THEN RETURN; END IF;
  PERFORM gc_hold();
  -- Looked at after the lock is there, each by a statement of its own, so that they see what was committed before it.
  fresh := app_now() - interval '5 minutes';
  FOREACH h IN ARRAY hashes LOOP
    SELECT b.touched_at INTO touched FROM blobs b WHERE b.hash = h;
    IF NOT FOUND THEN
      SELECT to_timestamp(s.timestamp / 1000.0) INTO touched FROM state_nodes s WHERE s.hash = h;
      IF NOT FOUND THEN
        SELECT s.touched_at INTO touched FROM start_nodes s WHERE s.hash = h;
        IF NOT FOUND THEN PERFORM cairn_raise('CA002', h); END IF;
      END IF;
    END IF;
    IF touched < fresh THEN old := old || h; END IF;
  END LOOP;
  IF old = '{}' THEN RETURN; END IF;
  -- Who finds a row locked leaves it to the other one: both touch it, and nobody waits.
  UPDATE blobs SET touched_at = app_now()
    WHERE blobs.hash IN (SELECT b.hash FROM blobs b WHERE b.hash = ANY (old) FOR NO KEY UPDATE SKIP LOCKED);
  UPDATE start_nodes SET touched_at = app_now()
    WHERE start_nodes.hash IN (SELECT s.hash FROM start_nodes s WHERE s.hash = ANY (old) FOR NO KEY UPDATE SKIP LOCKED);
  IF (SELECT r.phase IN ('marking', 'sweeping') FROM gc_runs r WHERE NOT r.dry_run ORDER BY r.id DESC LIMIT 1) THEN
    INSERT INTO gc_rescues (hash) SELECT DISTINCT unnest(old);
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.claim_one(runner_id text, thread_id text, lease_ms integer)
 RETURNS TABLE(id text, token bigint, workflow text, bundle text, start text, head text, height integer, steps integer, crashes integer, attempt integer, max_rounds integer, deadline_ms bigint, started_ms bigint, idle_ms bigint, log_bytes bigint, dry_run boolean, depth integer, control text, control_actor text, control_reason text, actor text, start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint)
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
  PERFORM tell(t, 'claimed', runner_id, NULL);
  RETURN QUERY SELECT t.id, t.lease_token, t.workflow, t.bundle, t.start, t.head, t.height, t.steps, t.crashes, t.attempt, t.max_rounds,
      (extract(epoch from t.deadline_at) * 1000)::bigint, (extract(epoch from t.started_at) * 1000)::bigint, t.idle_ms, t.log_bytes, t.dry_run, t.depth,
      t.control, t.control_actor, t.control_reason, t.actor,
      s.body, encode(s.digest, 'hex'), b.body, (extract(epoch from t.created_at) * 1000)::bigint, w.grants::text, w.limits::text, app_now_ms()
    FROM (SELECT 1) one LEFT JOIN start_nodes s ON s.hash = t.start LEFT JOIN blobs b ON b.hash = s.prompt LEFT JOIN workflows w ON w.name = t.workflow;
END $function$;

CREATE OR REPLACE FUNCTION public.claim_threads(runner_id text, capacity integer, lease_ms integer, sweep boolean, my_labels text[], my_permissions text[])
 RETURNS TABLE(id text, token bigint, workflow text, bundle text, start text, head text, height integer, steps integer, crashes integer, attempt integer, max_rounds integer, deadline_ms bigint, started_ms bigint, idle_ms bigint, log_bytes bigint, dry_run boolean, depth integer, control text, control_actor text, control_reason text, actor text, start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  candidate record;
  bound record;
  t threads%ROWTYPE;
  taken int := 0;
  at int;
  limited text[] := '{}';
  room int[] := '{}';
  full_up text[] := '{}';
  quarantined text[];
  crossed boolean;
BEGIN
  PERFORM wake_threads(200);
  IF sweep THEN
    FOR candidate IN
      (SELECT t.id AS thread, t.lease_token AS token, coalesce(t.runner, '?') AS holder,
          t.labels <@ my_labels AND (my_permissions IS NULL OR t.permissions <@ my_permissions) AS mine FROM threads t
        WHERE t.status = 'running' AND t.lease_expires_at < app_now()
        ORDER BY t.id LIMIT capacity FOR UPDATE SKIP LOCKED)
    LOOP
      IF candidate.mine THEN
        UPDATE threads SET crashes = threads.crashes + 1, event_seq = threads.event_seq + 1 WHERE threads.id = candidate.thread RETURNING * INTO t;
        PERFORM tell(t, 'lease_expired', runner_id, 'the lease of runner ' || candidate.holder || ' ran out');
        taken := taken + 1;
        RETURN QUERY SELECT * FROM claim_one(runner_id, candidate.thread, lease_ms);
      ELSE
        -- Not for this runner to run, but nobody holds it any more: it queues for one that may, and takes commands meanwhile.
        PERFORM requeue_threads(runner_id, ARRAY[candidate.thread], ARRAY[candidate.token], 'lease_expired',
          'the lease of runner ' || candidate.holder || ' ran out', 0, NULL);
      END IF;
    END LOOP;
  END IF;
  IF taken < capacity AND EXISTS (SELECT 1 FROM threads q WHERE q.status = 'queued' AND q.available_at <= app_now()) THEN
    quarantined := ARRAY(SELECT q.bundle FROM quarantines q WHERE q.lifted_at IS NULL);
    -- One claimer at a time counts the running threads of a bounded workflow. Always in the order of their names.
    FOR bound IN
      SELECT w.name, (w.limits->>'concurrency')::int AS most FROM workflows w
      WHERE w.limits->>'concurrency' IS NOT NULL AND EXISTS (SELECT 1 FROM threads q WHERE q.workflow = w.name AND q.status = 'queued')
      ORDER BY w.name
    LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended('cairn claim ' || bound.name, 0));
      SELECT bound.most - count(*) INTO at FROM threads r WHERE r.workflow = bound.name AND r.status = 'running';
      IF at > 0 THEN
        limited := limited || bound.name;
        room := room || at;
      ELSE
        full_up := full_up || bound.name;
      END IF;
    END LOOP;
    LOOP
      crossed := false;
      FOR candidate IN
        (SELECT q.id AS thread, q.workflow AS name FROM threads q
          WHERE q.status = 'queued' AND q.available_at <= app_now() AND q.workflow <> ALL (full_up) AND q.bundle <> ALL (quarantined)
            AND q.labels <@ my_labels AND (my_permissions IS NULL OR q.permissions <@ my_permissions)
          ORDER BY q.priority DESC, q.id LIMIT capacity - taken FOR UPDATE SKIP LOCKED)
      LOOP
        at := array_position(limited, candidate.name);
        IF at IS NOT NULL THEN
          IF room[at] = 0 THEN
            IF candidate.name <> ALL (full_up) THEN full_up := full_up || candidate.name; END IF;
            crossed := true;
            CONTINUE;
          END IF;
          room[at] := room[at] - 1;
        END IF;
        taken := taken + 1;
        RETURN QUERY SELECT * FROM claim_one(runner_id, candidate.thread, lease_ms);
      END LOOP;
      -- Threads above a bound took up places in the last look: look again without their workflow.
      EXIT WHEN NOT crossed OR taken >= capacity;
    END LOOP;
  END IF;
  IF taken > 0 THEN PERFORM pg_notify('cairn_change', ''); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.count_crash(t threads, crashed_worker text, why text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  recent int;
BEGIN
  -- Crashes at the same moment count each other.
  PERFORM pg_advisory_xact_lock(hashtextextended('cairn crash ' || t.bundle, 0));
  INSERT INTO bundle_crashes (bundle, thread, worker, reason) VALUES (t.bundle, t.id, coalesce(crashed_worker, t.id || '.' || t.lease_token), why)
    ON CONFLICT (bundle, worker) DO NOTHING;
  SELECT count(*) INTO recent FROM bundle_crashes c WHERE c.bundle = t.bundle AND c.at > app_now() - interval '60 seconds';
  IF recent > 5 THEN
    INSERT INTO quarantines (bundle, reason, crashes) VALUES (t.bundle, why, recent)
      ON CONFLICT (bundle) DO UPDATE SET reason = excluded.reason, crashes = excluded.crashes, at = excluded.at,
        lifted_at = NULL, lifted_by = NULL, note = NULL WHERE quarantines.lifted_at IS NOT NULL;
  END IF;
  DELETE FROM bundle_crashes c WHERE c.bundle = t.bundle AND c.at < app_now() - interval '1 hour';
END $function$;

CREATE OR REPLACE FUNCTION public.end_unheld(thread_id text, token bigint, expected text, n text[], ended_as text, code integer, why text, actor text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET head = n[1], height = n[8]::int, status = ended_as, control = NULL, control_actor = NULL, control_reason = NULL,
      return_code = code, summary = why, finished_at = app_now(), updated_at = app_now(), runner = NULL, lease_expires_at = NULL,
      lease_token = threads.lease_token + 1, event_seq = threads.event_seq + 1,
      idle_ms = threads.idle_ms + coalesce((extract(epoch from app_now() - threads.idle_since) * 1000)::bigint, 0), idle_since = NULL
    WHERE threads.id = thread_id AND threads.lease_token = token AND threads.head = expected AND threads.status IN ('queued', 'paused', 'waiting')
    RETURNING * INTO t;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM put_step(n);
  PERFORM tell(t, CASE ended_as WHEN 'killed' THEN 'killed' ELSE 'finished' END, actor, why);
  PERFORM thread_ended(t, actor);
  PERFORM pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.first_time(t threads)
 RETURNS interval
 LANGUAGE sql
 STABLE
AS $function$
  SELECT (e.data->>'deadlineAt')::timestamptz - t.created_at FROM thread_events e WHERE e.thread = t.id AND e.seq = 1
$function$;

CREATE OR REPLACE FUNCTION public.fork_thread(source text, fork text, marker text[], injected text[], at_node text, its_workflow text, its_bundle text, start_hash text, start_body text, start_refs text[], start_digest text, its_depth integer, its_caller text, prompt_hash text, prompt_body text, prompt_digest text, its_steps integer, its_priority integer, rounds integer, its_tags text[], its_labels text[], its_permissions text[], who text, its_origin text, its_excerpt text, why text, concurrency integer, queue_depth integer, overflow text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  s threads%ROWTYPE;
  made threads%ROWTYPE;
  refused text;
  top text[] := coalesce(injected, marker);
BEGIN
  SELECT * INTO s FROM threads t WHERE t.id = source FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  refused := queue_refusal(its_workflow, concurrency, queue_depth, overflow);
  IF refused IS NOT NULL THEN RETURN refused; END IF;
  INSERT INTO threads (id, workflow, bundle, status, start, head, height, steps, priority, depth, source_thread, forked_at, max_rounds,
      deadline_at, dry_run, tags, labels, permissions, actor, origin, excerpt, event_seq)
    VALUES (fork, its_workflow, its_bundle, 'queued', start_hash, top[1], top[8]::int, its_steps, its_priority, its_depth, source, at_node, rounds,
      app_now() + first_time(s), s.dry_run, its_tags, its_labels, its_permissions, who, its_origin, its_excerpt, 1)
    RETURNING * INTO made;
  PERFORM cas_reuse(array_remove(ARRAY[at_node, CASE WHEN start_body IS NULL THEN start_hash END, its_caller], NULL));
  -- A new start node has the prompt of the source, or one of its own.
  IF prompt_body IS NOT NULL THEN
    PERFORM put_content(prompt_hash, '{}', prompt_digest, prompt_body);
  ELSIF start_body IS NOT NULL THEN
    PERFORM cas_reuse(ARRAY[prompt_hash]);
  END IF;
  IF start_body IS NOT NULL THEN
    PERFORM put_start(start_hash, start_refs, start_digest, start_body, its_workflow, its_bundle, its_depth, its_caller, prompt_hash);
  END IF;
  PERFORM put_step(marker);
  IF injected IS NOT NULL THEN PERFORM put_step(injected); END IF;
  -- As for a start: all that the nodes do not say of the thread.
  PERFORM tell(made, 'forked', who, why, jsonb_strip_nulls(jsonb_build_object(
    'start', start_hash, 'origin', its_origin, 'priority', its_priority, 'deadlineAt', made.deadline_at, 'maxRounds', rounds,
    'dryRun', s.dry_run, 'tags', its_tags, 'labels', its_labels, 'permissions', its_permissions, 'sourceThread', source,
    'forkedAt', at_node, 'excerpt', its_excerpt)));
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
  RETURN '';
END $function$;

CREATE OR REPLACE FUNCTION public.gc_alone()
 RETURNS void
 LANGUAGE sql
 SET lock_timeout TO '400ms'
AS $function$
  SELECT pg_advisory_xact_lock(hashtextextended('cairn gc', 0))
$function$;

CREATE OR REPLACE FUNCTION public.gc_begin(who text, dry boolean, grace_seconds integer)
 RETURNS SETOF gc_runs
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM gc_alone();
  IF NOT dry THEN
    RETURN QUERY SELECT * FROM gc_runs r WHERE r.phase = 'sweeping' AND NOT r.dry_run;
    IF FOUND THEN RETURN; END IF;
    UPDATE gc_runs SET phase = 'abandoned', finished_at = app_now() WHERE phase = 'marking' AND NOT dry_run;
    DELETE FROM gc_condemned;
    DELETE FROM gc_rescues;
  END IF;
  RETURN QUERY INSERT INTO gc_runs (phase, dry_run, cutoff, actor) VALUES ('marking', dry, app_now() - make_interval(secs => grace_seconds), who) RETURNING *;
END $function$;

CREATE OR REPLACE FUNCTION public.gc_hold()
 RETURNS void
 LANGUAGE sql
AS $function$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('cairn gc', 0))
$function$;

CREATE OR REPLACE FUNCTION public.gc_keep_subject()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM gc_hold();
  PERFORM 1 FROM cas WHERE cas.hash = NEW.subject;
  IF FOUND THEN PERFORM cas_reuse(ARRAY[NEW.subject]); END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.gc_sweep(run bigint, most integer, above bigint)
 RETURNS TABLE(objects bigint, bytes bigint, lowest bigint)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  least_rank bigint;
  gone bigint := 0;
  gone_bytes bigint := 0;
BEGIN
  PERFORM gc_alone();
  PERFORM 1 FROM gc_runs r WHERE r.id = run AND r.phase = 'sweeping';
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM 1 FROM gc_rescues LIMIT 1;
  IF FOUND THEN
    WITH RECURSIVE kept AS (
      -- From those too that are not condemned: touched before they could be, while what is below them is.
      SELECT r.hash FROM gc_rescues r
      UNION
      SELECT c.hash FROM kept k JOIN cas o ON o.hash = k.hash CROSS JOIN LATERAL unnest(o.refs) AS below (ref) JOIN gc_condemned c ON c.hash = below.ref
    ) DELETE FROM gc_condemned c USING kept WHERE c.hash = kept.hash;
    DELETE FROM gc_rescues;
  END IF;
  SELECT min(next.rank) INTO least_rank FROM (SELECT c.rank FROM gc_condemned c WHERE c.rank < above ORDER BY c.rank DESC LIMIT most) next;
  IF least_rank IS NULL THEN
    UPDATE gc_runs SET phase = 'done', finished_at = app_now() WHERE id = run;
    RETURN;
  END IF;
  WITH doomed AS (
    DELETE FROM gc_condemned c WHERE c.rank >= least_rank AND c.rank < above RETURNING c.hash, c.size
  ), states AS (
    DELETE FROM state_nodes s USING doomed d WHERE s.hash = d.hash RETURNING d.size
  ), starts AS (
    DELETE FROM start_nodes s USING doomed d WHERE s.hash = d.hash RETURNING d.size
  ), contents AS (
    DELETE FROM blobs b USING doomed d WHERE b.hash = d.hash RETURNING d.size
  )
  SELECT count(*), coalesce(sum(deleted.size), 0) INTO gone, gone_bytes
    FROM (SELECT size FROM states UNION ALL SELECT size FROM starts UNION ALL SELECT size FROM contents) deleted;
  UPDATE gc_runs SET objects = gc_runs.objects + gone, bytes = gc_runs.bytes + gone_bytes WHERE id = run;
  RETURN QUERY SELECT gone, gone_bytes, least_rank;
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

CREATE OR REPLACE FUNCTION public.give_input(thread_id text, open_wait text, input_name text, input_value json, input_subject text, who text, who_role text, most integer)
 RETURNS TABLE(outcome text, status text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  t threads%ROWTYPE;
  found_wait text;
  n int;
BEGIN
  SELECT * INTO t FROM threads l WHERE l.id = thread_id AND l.status IN ('queued', 'running', 'paused', 'waiting') FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'moved', ''; RETURN; END IF;
  -- A wait of an earlier head was left behind by its role: nobody would read the answer.
  SELECT w.key INTO found_wait FROM waits w
    WHERE w.thread = thread_id AND w.status = 'open' AND w.kind = 'input' AND w.name = input_name AND starts_with(w.key, t.head || '.');
  IF found_wait IS DISTINCT FROM open_wait THEN RETURN QUERY SELECT 'moved', t.status; RETURN; END IF;
  IF open_wait IS NULL THEN
    SELECT count(*) INTO n FROM thread_inputs i WHERE i.thread = thread_id AND i.wait IS NULL AND i.rejected IS NULL;
    IF n >= most THEN RETURN QUERY SELECT 'full', t.status; RETURN; END IF;
  END IF;
  SELECT coalesce(max(i.seq), 0) + 1 INTO n FROM thread_inputs i WHERE i.thread = thread_id;
  INSERT INTO thread_inputs (thread, seq, name, value, subject, actor, actor_role, wait)
    VALUES (thread_id, n, input_name, input_value, input_subject, who, who_role, open_wait);
  UPDATE threads SET updated_at = app_now(), event_seq = threads.event_seq + 1 WHERE threads.id = thread_id RETURNING * INTO t;
  PERFORM tell(t, 'input', who, CASE WHEN open_wait IS NULL THEN 'kept for a later wait for ' ELSE 'answers the wait for ' END || input_name,
    jsonb_strip_nulls(jsonb_build_object('seq', n, 'name', input_name, 'wait', open_wait)));
  IF open_wait IS NOT NULL THEN
    UPDATE waits SET status = 'answered', answer = input_value, answered_by = who, answered_at = app_now()
      WHERE waits.thread = thread_id AND waits.key = open_wait;
    IF wake_thread(thread_id, who, 'its wait for ' || input_name || ' was answered') THEN t.status := 'queued'; END IF;
  END IF;
  PERFORM pg_notify('cairn_change', '');
  RETURN QUERY SELECT CASE WHEN open_wait IS NULL THEN 'stored' ELSE 'answered' END, t.status;
END $function$;

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
  RETURN QUERY
    UPDATE runners r SET heartbeat_at = app_now(), active = coalesce(array_length(thread_ids, 1), 0), stale_writes = r.stale_writes + refused
      WHERE r.id = runner_id RETURNING NULL::text, CASE WHEN r.draining THEN 'drain' END, app_now_ms();
  RETURN QUERY
    WITH mine AS (
      SELECT t.id FROM unnest(thread_ids, tokens) AS held(id, token) JOIN threads t ON t.id = held.id AND t.lease_token = held.token
        WHERE t.status = 'running' ORDER BY t.id FOR UPDATE OF t
    )
    UPDATE threads t SET lease_expires_at = app_now() + lease_ms * interval '1 millisecond' FROM mine WHERE t.id = mine.id
      RETURNING t.id, t.control, app_now_ms();
END $function$;

CREATE OR REPLACE FUNCTION public.move_unheld(thread_id text, left_status text, to_status text, event text, who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  IF to_status = 'paused' THEN
    UPDATE threads SET status = 'paused', idle_since = coalesce(threads.idle_since, app_now()), updated_at = app_now(), event_seq = threads.event_seq + 1
      WHERE threads.id = thread_id AND threads.status = left_status RETURNING * INTO t;
  ELSE
    UPDATE threads SET status = 'queued', available_at = app_now(), updated_at = app_now(), event_seq = threads.event_seq + 1,
        idle_ms = threads.idle_ms + coalesce((extract(epoch from app_now() - threads.idle_since) * 1000)::bigint, 0), idle_since = NULL
      WHERE threads.id = thread_id AND threads.status = left_status RETURNING * INTO t;
  END IF;
  IF t.id IS NULL THEN RETURN false; END IF;
  PERFORM tell(t, event, who, why);
  IF to_status = 'queued' THEN PERFORM pg_notify('cairn_work', ''); END IF;
  PERFORM pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.park_thread(runner_id text, thread_id text, token bigint, forced text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
  who text;
  why text;
BEGIN
  SELECT * INTO t FROM threads WHERE threads.id = thread_id AND threads.lease_token = token AND threads.status = 'running' FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'lost'; END IF;
  IF t.control = 'kill' THEN RETURN 'kill'; END IF;
  IF t.control IS NULL AND forced IS NULL THEN RETURN 'go'; END IF;
  who := coalesce(t.control_actor, runner_id);
  why := coalesce(forced, t.control_reason);
  UPDATE threads SET status = 'paused', control = NULL, control_actor = NULL, control_reason = NULL, runner = NULL, lease_expires_at = NULL,
      lease_token = threads.lease_token + 1, idle_since = app_now(), updated_at = app_now(), event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id RETURNING * INTO t;
  PERFORM tell(t, 'paused', who, why);
  PERFORM place_freed(t);
  PERFORM pg_notify('cairn_change', '');
  RETURN 'paused';
END $function$;

CREATE OR REPLACE FUNCTION public.place_freed(t threads)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT 1 FROM threads q WHERE q.workflow = t.workflow AND q.status = 'queued') THEN PERFORM pg_notify('cairn_work', ''); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.put_again(its_hash text, its_body text, its_raw bytea)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  same boolean;
BEGIN
  PERFORM gc_hold();
  SELECT o.body IS NOT DISTINCT FROM its_body AND o.raw IS NOT DISTINCT FROM its_raw INTO same FROM cas o WHERE o.hash = its_hash LIMIT 1;
  IF NOT FOUND THEN RETURN 'gone'; END IF;
  IF NOT same THEN RETURN 'other'; END IF;
  PERFORM cas_reuse(ARRAY[its_hash]);
  RETURN 'same';
END $function$;

CREATE OR REPLACE FUNCTION public.put_content(its_hash text, its_refs text[], its_digest text, its_body text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  same boolean;
BEGIN
  LOOP
    INSERT INTO blobs (hash, type, refs, digest, body, size)
      VALUES (its_hash, 'content', its_refs, decode(its_digest, 'hex'), its_body, octet_length(its_body)) ON CONFLICT (hash) DO NOTHING;
    EXIT WHEN FOUND;
    PERFORM gc_hold();
    SELECT b.body IS NOT DISTINCT FROM its_body INTO same FROM blobs b WHERE b.hash = its_hash;
    -- Not there any more: it was collected between the two statements, and cannot be again.
    CONTINUE WHEN NOT FOUND;
    IF NOT same THEN PERFORM cairn_raise('CA001', its_hash); END IF;
    PERFORM cas_reuse(ARRAY[its_hash]);
    EXIT;
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.put_contents(f text[], held text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  n int;
  content_refs text[];
  wanted text[] := '{}';
BEGIN
  FOR n IN 0 .. coalesce(array_length(f, 1), 0) - 1 BY 6 LOOP
    IF f[n+1] <> ALL (held) THEN
      PERFORM 1 FROM threads t WHERE t.id = f[n+1] AND t.lease_token = f[n+2]::bigint AND t.status = 'running';
      CONTINUE WHEN NOT FOUND;
    END IF;
    content_refs := f[n+4]::text[];
    IF content_refs <> '{}' THEN wanted := wanted || content_refs; END IF;
    PERFORM put_content(f[n+3], content_refs, f[n+5], f[n+6]);
  END LOOP;
  -- After all are stored: contents of one call may refer to each other, and come in the order of their hashes.
  IF wanted <> '{}' THEN PERFORM cas_reuse(wanted); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.put_start(its_hash text, its_refs text[], its_digest text, its_body text, its_name text, its_bundle text, its_depth integer, its_caller text, its_prompt text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  same boolean;
BEGIN
  LOOP
    INSERT INTO start_nodes (hash, body, refs, digest, name, bundle, depth, parent_state, prompt)
      VALUES (its_hash, its_body, its_refs, decode(its_digest, 'hex'), its_name, its_bundle, its_depth, its_caller, its_prompt) ON CONFLICT (hash) DO NOTHING;
    EXIT WHEN FOUND;
    PERFORM gc_hold();
    SELECT s.body = its_body INTO same FROM start_nodes s WHERE s.hash = its_hash;
    CONTINUE WHEN NOT FOUND;
    IF NOT same THEN PERFORM cairn_raise('CA001', its_hash); END IF;
    PERFORM cas_reuse(ARRAY[its_hash]);
    EXIT;
  END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION public.put_step(n text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF n[12] <> '{}' THEN PERFORM cas_reuse(n[12]::text[]); END IF;
  PERFORM put_content(n[10], n[12]::text[], n[13], n[11]);
  INSERT INTO state_nodes (hash, body, refs, digest, role, start, content, parent, height, timestamp)
    VALUES (n[1], n[2], n[3]::text[], decode(n[4], 'hex'), n[5], n[6], n[10], nullif(n[7], ''), n[8]::int, n[9]::bigint)
    ON CONFLICT (hash) DO NOTHING;
  IF NOT FOUND THEN
    PERFORM 1 FROM state_nodes s WHERE s.hash = n[1] AND s.body = n[2];
    IF NOT FOUND THEN PERFORM cairn_raise('CA001', n[1]); END IF;
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.queue_refusal(its_workflow text, concurrency integer, queue_depth integer, overflow text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  queued int;
BEGIN
  IF queue_depth IS NOT NULL THEN
    SELECT count(*) INTO queued FROM (SELECT 1 FROM threads t WHERE t.workflow = its_workflow AND t.status = 'queued' LIMIT queue_depth) q;
    -- Near the bound one start after the other; a burst that jumps over half of a large queue at once is let through.
    IF overflow = 'drop' OR queue_depth < 100 OR queued >= queue_depth / 2 THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('cairn queue ' || its_workflow, 0));
      SELECT count(*) INTO queued FROM (SELECT 1 FROM threads t WHERE t.workflow = its_workflow AND t.status = 'queued' LIMIT queue_depth) q;
      IF queued >= queue_depth THEN
        RETURN format('refused: %s threads of %s are queued, the bound queueDepth is %s', queued, its_workflow, queue_depth);
      ELSIF overflow = 'drop' AND concurrency IS NOT NULL THEN
        SELECT queued + count(*) INTO queued FROM (SELECT 1 FROM threads t WHERE t.workflow = its_workflow AND t.status = 'running' LIMIT concurrency) r;
        IF queued >= concurrency THEN
          RETURN format('refused: %s threads of %s are under way, the bound concurrency is %s and its overflow is drop', queued, its_workflow, concurrency);
        END IF;
      END IF;
    END IF;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.reject_input(thread_id text, token bigint, input_seq integer, why text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id AND threads.lease_token = token AND threads.status = 'running'
      AND EXISTS (SELECT 1 FROM thread_inputs i WHERE i.thread = thread_id AND i.seq = input_seq AND i.wait IS NULL AND i.rejected IS NULL)
    RETURNING * INTO t;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE thread_inputs i SET rejected = why WHERE i.thread = thread_id AND i.seq = input_seq;
  PERFORM tell(t, 'input_rejected', (SELECT i.actor FROM thread_inputs i WHERE i.thread = thread_id AND i.seq = input_seq), why);
  PERFORM pg_notify('cairn_change', '');
END $function$;

CREATE OR REPLACE FUNCTION public.remove_thread(thread_id text, left_status text, who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  DELETE FROM threads WHERE threads.id = thread_id AND threads.status = left_status AND threads.status <> 'running' RETURNING * INTO t;
  IF NOT FOUND THEN RETURN false; END IF;
  IF t.parent_thread IS NOT NULL AND t.idempotency_key IS NOT NULL THEN
    INSERT INTO removed_children (idempotency_key, thread) VALUES (t.idempotency_key, t.id) ON CONFLICT DO NOTHING;
  END IF;
  DELETE FROM waits w WHERE w.thread = thread_id;
  DELETE FROM thread_inputs i WHERE i.thread = thread_id;
  DELETE FROM thread_logs l WHERE l.thread = thread_id;
  DELETE FROM thread_tasks k WHERE k.thread = thread_id;
  t.event_seq := t.event_seq + 1;
  PERFORM tell(t, 'removed', who, why);
  IF left_status IN ('queued', 'paused', 'waiting') THEN
    t.status := 'removed';
    PERFORM thread_ended(t, who);
  END IF;
  PERFORM pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.requeue_threads(runner_id text, thread_ids text[], tokens bigint[], event text, why text, delay_ms integer, crashed_worker text)
 RETURNS TABLE(thread text)
 LANGUAGE plpgsql
AS $function$
DECLARE
  candidate record;
  t threads%ROWTYPE;
BEGIN
  FOR candidate IN
    SELECT held.id, q.control, q.control_actor, q.control_reason
      FROM unnest(thread_ids, tokens) AS held(id, token) JOIN threads q ON q.id = held.id AND q.lease_token = held.token
      WHERE q.status = 'running' ORDER BY q.id FOR UPDATE OF q
  LOOP
    UPDATE threads SET status = 'queued', runner = NULL, lease_expires_at = NULL, lease_token = threads.lease_token + 1,
        crashes = threads.crashes + CASE event WHEN 'released' THEN 0 ELSE 1 END, control = NULL, control_actor = NULL, control_reason = NULL,
        available_at = app_now() + delay_ms * interval '1 millisecond', updated_at = app_now(), event_seq = threads.event_seq + 1
      WHERE threads.id = candidate.id RETURNING * INTO t;
    PERFORM tell(t, event, runner_id, why);
    IF event = 'crashed' THEN PERFORM count_crash(t, crashed_worker, why); END IF;
    IF candidate.control = 'pause' THEN
      UPDATE threads SET status = 'paused', idle_since = app_now(), event_seq = threads.event_seq + 1 WHERE threads.id = candidate.id RETURNING * INTO t;
      PERFORM tell(t, 'paused', candidate.control_actor, candidate.control_reason);
    ELSIF candidate.control = 'kill' THEN
      INSERT INTO thread_tasks (kind, thread, actor, reason) VALUES ('kill', candidate.id, candidate.control_actor, coalesce(candidate.control_reason, 'killed'));
      PERFORM pg_notify('cairn_control', '');
    END IF;
    thread := candidate.id;
    RETURN NEXT;
  END LOOP;
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
END $function$;

CREATE OR REPLACE FUNCTION public.resolve_wait(thread_id text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  w waits%ROWTYPE;
  outcomes json;
  ended int;
  succeeded int;
BEGIN
  SELECT * INTO w FROM waits WHERE waits.thread = thread_id AND waits.status = 'open' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF w.kind = 'threads' THEN
    SELECT json_agg(json_build_object('threadId', target.id, 'workflow', t.workflow, 'status', coalesce(t.status, 'removed'),
          'returnCode', t.return_code, 'summary', t.summary, 'steps', t.steps,
          'end', CASE WHEN t.status IN ('completed', 'failed', 'killed') THEN t.head END) ORDER BY target.n)
          FILTER (WHERE t.id IS NULL OR t.status IN ('completed', 'failed', 'killed', 'dropped')),
        count(*) FILTER (WHERE t.id IS NULL OR t.status IN ('completed', 'failed', 'killed', 'dropped')),
        count(*) FILTER (WHERE t.status = 'completed')
      INTO outcomes, ended, succeeded
      FROM unnest(w.targets) WITH ORDINALITY AS target(id, n) LEFT JOIN threads t ON t.id = target.id;
    IF ended = cardinality(w.targets) OR (w.mode = 'any' AND ended > 0) OR (w.mode = 'success' AND succeeded > 0) THEN
      UPDATE waits SET status = 'answered', answer = coalesce(outcomes, '[]'), answered_by = 'engine', answered_at = app_now()
        WHERE waits.thread = thread_id AND waits.key = w.key;
      RETURN true;
    END IF;
  END IF;
  IF w.wake_at <= app_now() THEN
    UPDATE waits SET status = CASE w.kind WHEN 'until' THEN 'answered' ELSE 'timed_out' END, answer = 'null', answered_by = 'engine', answered_at = app_now()
      WHERE waits.thread = thread_id AND waits.key = w.key;
    RETURN true;
  END IF;
  RETURN false;
END $function$;

CREATE OR REPLACE FUNCTION public.retry_thread(thread_id text, expected text, n text[], who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET status = 'queued', head = n[1], height = n[8]::int, return_code = NULL, summary = NULL, started_at = NULL,
      finished_at = NULL, idle_ms = 0, idle_since = NULL, crashes = 0, deadline_at = app_now() + first_time(threads),
      available_at = app_now(), updated_at = app_now(), event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id AND threads.head = expected AND threads.status IN ('failed', 'killed') RETURNING * INTO t;
  IF NOT FOUND THEN RETURN false; END IF;
  -- A kill that nobody has come to carry out yet was of the life that has ended.
  DELETE FROM thread_tasks k WHERE k.kind = 'kill' AND k.thread = thread_id;
  PERFORM put_step(n);
  PERFORM tell(t, 'retried', who, why, jsonb_strip_nulls(jsonb_build_object('deadlineAt', t.deadline_at)));
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.runner_orders(runner_id text)
 RETURNS TABLE(kind text, thread text, actor text, reason text, seq bigint)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT t.control, t.id, t.control_actor, t.control_reason, NULL::bigint FROM threads t WHERE t.runner = runner_id AND t.control IS NOT NULL
  UNION ALL
  (SELECT 'end', k.thread, k.actor, k.reason, k.seq FROM thread_tasks k WHERE k.kind = 'kill' ORDER BY k.seq LIMIT 100)
  UNION ALL
  (SELECT 'deadline', t.id, 'engine', 'its deadline passed', NULL FROM threads t
    WHERE t.deadline_at IS NOT NULL AND t.status IN ('queued', 'paused', 'waiting') AND t.deadline_at <= app_now() ORDER BY t.deadline_at LIMIT 100)
  UNION ALL
  SELECT 'drain', NULL, r.drained_by, NULL, NULL FROM runners r WHERE r.id = runner_id AND r.draining
$function$;

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

CREATE OR REPLACE FUNCTION public.start_thread(id text, workflow text, bundle text, prompt_hash text, prompt_body text, prompt_digest text, start_hash text, start_body text, start_refs text[], start_digest text, depth integer, parent_state text, priority integer, max_rounds integer, deadline_seconds integer, dry_run boolean, tags text[], actor text, origin text, idempotency_key text, idempotency_digest text, excerpt text, parent_thread text, parent_token bigint, labels text[], permissions text[], concurrency integer, queue_depth integer, overflow text)
 RETURNS TABLE(thread text, created boolean, digest text, thread_status text, thread_bundle text, why text)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  refused text;
  made threads%ROWTYPE;
BEGIN
  IF $23 IS NOT NULL THEN
    PERFORM 1 FROM threads t WHERE t.id = $23 AND t.lease_token = $24 AND t.status = 'running' AND t.control IS DISTINCT FROM 'kill' FOR SHARE;
    IF NOT FOUND THEN RETURN; END IF;
    -- A child that was removed is not started again: its caller learns what became of it.
    RETURN QUERY SELECT r.thread, false, NULL::text, 'removed'::text, $3, NULL::text FROM removed_children r WHERE r.idempotency_key = $20;
    IF FOUND THEN RETURN; END IF;
  END IF;
  refused := queue_refusal($2, $27, $28, $29);
  INSERT INTO threads (id, workflow, bundle, status, start, head, priority, depth, max_rounds, deadline_at, dry_run, tags, actor, origin,
      idempotency_key, idempotency_digest, excerpt, event_seq, parent_thread, labels, permissions, summary, finished_at)
    VALUES ($1, $2, $3, CASE WHEN refused IS NULL THEN 'queued' ELSE 'dropped' END, $7, $7, $13, $11, $14,
      app_now() + make_interval(secs => $15), $16, $17, $18, $19, $20, $21, $22, 1, $23, $25, $26, refused,
      CASE WHEN refused IS NULL THEN NULL ELSE app_now() END)
    ON CONFLICT (idempotency_key) DO NOTHING RETURNING * INTO made;
  IF NOT FOUND THEN
    RETURN QUERY SELECT t.id, false, t.idempotency_digest, t.status, t.bundle, t.summary FROM threads t WHERE t.idempotency_key = $20;
    RETURN;
  END IF;
  PERFORM put_content($4, '{}', $6, $5);
  PERFORM put_start($7, $9, $10, $8, $2, $3, $11, $12, $4);
  -- All that the nodes do not say of the thread: its row can be made again from this.
  PERFORM tell(made, made.status, $18, refused, jsonb_strip_nulls(jsonb_build_object(
    'start', $7, 'origin', $19, 'priority', $13, 'deadlineAt', made.deadline_at, 'maxRounds', $14, 'dryRun', $16, 'tags', $17,
    'labels', $25, 'permissions', $26, 'parentThread', $23, 'idempotencyKey', $20, 'idempotencyDigest', $21, 'excerpt', $22)));
  IF refused IS NULL THEN PERFORM pg_notify('cairn_work', ''); END IF;
  PERFORM pg_notify('cairn_change', '');
  RETURN QUERY SELECT $1, true, $21, made.status, $3, refused;
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

CREATE OR REPLACE FUNCTION public.suspend_thread(runner_id text, thread_id text, token bigint, wait_key text, wait_kind text, wait_name text, wait_prompt text, wait_schema json, wait_subject text, wait_answerers jsonb, until_ms bigint, timeout_ms bigint, wait_targets text[], wait_mode text, seen integer, chosen integer)
 RETURNS TABLE(outcome text, wait_status text, answer json, answered_by text, wake_ms bigint)
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
  w waits%ROWTYPE;
  paused_by text;
  paused_why text;
  made boolean;
BEGIN
  -- Its targets too, so that none of them ends between the look at it and the wait's being there to be seen by that end.
  PERFORM 1 FROM threads l WHERE l.id = thread_id OR l.id = ANY (wait_targets) ORDER BY l.id FOR NO KEY UPDATE;
  SELECT * INTO t FROM threads l WHERE l.id = thread_id AND l.lease_token = token AND l.status = 'running';
  IF NOT FOUND THEN outcome := 'lost'; RETURN NEXT; RETURN; END IF;
  IF t.control = 'kill' THEN outcome := 'kill'; RETURN NEXT; RETURN; END IF;
  paused_by := t.control_actor;
  paused_why := t.control_reason;
  UPDATE waits SET status = 'cancelled' WHERE waits.thread = thread_id AND waits.status = 'open' AND waits.key <> wait_key;
  INSERT INTO waits (thread, key, kind, name, prompt, schema, subject, answerers, wake_at, targets, mode)
    VALUES (thread_id, wait_key, wait_kind, wait_name, wait_prompt, wait_schema, wait_subject, wait_answerers,
      CASE WHEN until_ms IS NOT NULL THEN to_timestamp(until_ms / 1000.0) WHEN timeout_ms IS NOT NULL THEN app_now() + timeout_ms * interval '1 millisecond' END,
      wait_targets, wait_mode)
    ON CONFLICT DO NOTHING;
  made := FOUND;
  IF chosen IS NOT NULL THEN
    UPDATE thread_inputs i SET wait = wait_key WHERE i.thread = thread_id AND i.seq = chosen AND i.wait IS NULL AND i.rejected IS NULL;
    IF FOUND THEN
      UPDATE waits SET status = 'answered', answer = i.value, answered_by = i.actor, answered_at = app_now() FROM thread_inputs i
        WHERE waits.thread = thread_id AND waits.key = wait_key AND waits.status = 'open' AND i.thread = thread_id AND i.seq = chosen;
    END IF;
  ELSIF wait_kind = 'input' AND EXISTS (SELECT 1 FROM thread_inputs i WHERE i.thread = thread_id AND i.seq > seen AND i.wait IS NULL AND i.rejected IS NULL) THEN
    SELECT * INTO w FROM waits WHERE waits.thread = thread_id AND waits.key = wait_key;
    IF w.status = 'open' THEN
      -- Not asked yet: what comes while the caller looks is kept behind what it looks at.
      IF made THEN DELETE FROM waits WHERE waits.thread = thread_id AND waits.key = wait_key; END IF;
      outcome := 'inputs';
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  PERFORM resolve_wait(thread_id);
  SELECT * INTO w FROM waits WHERE waits.thread = thread_id AND waits.key = wait_key;
  wake_ms := (extract(epoch from w.wake_at) * 1000)::bigint;
  IF w.status <> 'open' THEN
    outcome := 'answered';
    wait_status := w.status;
    answer := w.answer;
    answered_by := w.answered_by;
    RETURN NEXT;
    RETURN;
  END IF;
  -- Waits behind threads that wait already come one after the other, so that the last of those that close a circle sees all of it.
  IF wait_kind = 'threads' AND EXISTS (SELECT 1 FROM waits o WHERE o.thread = ANY (wait_targets) AND o.status = 'open' AND o.kind = 'threads') THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('cairn circle', 0));
  END IF;
  IF wait_kind = 'threads' AND EXISTS (
    WITH RECURSIVE ahead AS (
      SELECT unnest(wait_targets) AS id
      UNION
      SELECT unnest(o.targets) FROM ahead JOIN waits o ON o.thread = ahead.id AND o.status = 'open' AND o.kind = 'threads'
    ) SELECT 1 FROM ahead WHERE ahead.id = thread_id
  ) THEN
    DELETE FROM waits WHERE waits.thread = thread_id AND waits.key = wait_key;
    outcome := 'cycle';
    RETURN NEXT;
    RETURN;
  END IF;
  UPDATE threads SET status = 'waiting', control = NULL, control_actor = NULL, control_reason = NULL,
      runner = NULL, lease_expires_at = NULL, lease_token = threads.lease_token + 1, crashes = 0,
      idle_since = app_now(), updated_at = app_now(), event_seq = threads.event_seq + 1
    WHERE threads.id = thread_id RETURNING * INTO t;
  PERFORM tell(t, 'waiting', runner_id, coalesce(wait_prompt, CASE wait_kind WHEN 'until' THEN 'waits for a time' WHEN 'threads' THEN 'waits for other threads' ELSE 'waits for an input' END),
    jsonb_strip_nulls(jsonb_build_object('key', wait_key, 'kind', wait_kind, 'name', wait_name, 'wakeAt', w.wake_at)));
  IF paused_by IS NOT NULL THEN
    UPDATE threads SET status = 'paused', event_seq = threads.event_seq + 1 WHERE threads.id = thread_id RETURNING * INTO t;
    PERFORM tell(t, 'paused', paused_by, paused_why);
  END IF;
  PERFORM place_freed(t);
  PERFORM pg_notify('cairn_change', '');
  outcome := 'suspended';
  RETURN NEXT;
END $function$;

CREATE OR REPLACE FUNCTION public.tell(t threads, type text, actor text, reason text, data jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO thread_events (thread, seq, type, status, height, head, actor, reason, data)
    VALUES (t.id, t.event_seq, type, t.status, t.height, t.head, actor, reason, data);
END $function$;

CREATE OR REPLACE FUNCTION public.thread_ended(t threads, by_whom text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE waits SET status = 'cancelled' WHERE waits.thread = t.id AND waits.status = 'open';
  INSERT INTO thread_tasks (kind, thread, actor, reason)
    SELECT 'wake', w.thread, by_whom, 'thread ' || t.id || ' ended' FROM waits w
    WHERE w.status = 'open' AND w.kind = 'threads' AND w.targets @> ARRAY[t.id];
  IF FOUND THEN PERFORM pg_notify('cairn_work', ''); END IF;
  INSERT INTO thread_tasks (kind, thread, actor, reason)
    SELECT 'kill', c.id, by_whom, 'its parent ' || t.id || ' ended as ' || t.status FROM threads c
    WHERE c.parent_thread = t.id AND c.status IN ('queued', 'running', 'paused', 'waiting');
  IF FOUND THEN PERFORM pg_notify('cairn_control', ''); END IF;
  PERFORM place_freed(t);
END $function$;

CREATE OR REPLACE FUNCTION public.wake_thread(thread_id text, actor text, reason text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  t threads%ROWTYPE;
BEGIN
  UPDATE threads SET status = 'queued', available_at = app_now(), updated_at = app_now(), event_seq = threads.event_seq + 1,
      idle_ms = threads.idle_ms + coalesce((extract(epoch from app_now() - threads.idle_since) * 1000)::bigint, 0), idle_since = NULL
    WHERE threads.id = thread_id AND threads.status = 'waiting' RETURNING * INTO t;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM tell(t, 'woken', actor, reason);
  PERFORM pg_notify('cairn_work', ''), pg_notify('cairn_change', '');
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.wake_threads(most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  candidate record;
  woken int := 0;
BEGIN
  FOR candidate IN
    SELECT due.thread, min(due.why) AS why FROM (
      (SELECT k.thread, k.reason AS why FROM thread_tasks k WHERE k.kind = 'wake' LIMIT most)
      UNION ALL
      (SELECT w.thread, 'its time has come' FROM waits w WHERE w.status = 'open' AND w.wake_at IS NOT NULL AND w.wake_at <= app_now() LIMIT most)
    ) due GROUP BY due.thread ORDER BY due.thread
  LOOP
    PERFORM 1 FROM threads t WHERE t.id = candidate.thread FOR NO KEY UPDATE;
    IF NOT FOUND THEN DELETE FROM waits w WHERE w.thread = candidate.thread; END IF;
    -- Before the look: what is left by an end that commits later stays for the next one.
    DELETE FROM thread_tasks k WHERE k.kind = 'wake' AND k.thread = candidate.thread;
    IF resolve_wait(candidate.thread) AND wake_thread(candidate.thread, 'engine', candidate.why) THEN woken := woken + 1; END IF;
  END LOOP;
  RETURN woken;
END $function$;

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

CREATE SEQUENCE bundle_crashes_seq_seq AS bigint START 1 INCREMENT 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY bundle_crashes.seq;

CREATE SEQUENCE gc_runs_id_seq AS bigint START 1 INCREMENT 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY gc_runs.id;

CREATE SEQUENCE registry_events_seq_seq AS bigint START 1 INCREMENT 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY registry_events.seq;

CREATE SEQUENCE thread_tasks_seq_seq AS bigint START 1 INCREMENT 1 MAXVALUE 9223372036854775807 CACHE 1 OWNED BY thread_tasks.seq;

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
  touched_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT blobs_one_body CHECK (((body IS NULL) <> (raw IS NULL))),
  CONSTRAINT blobs_pkey PRIMARY KEY (hash)
);

CREATE TABLE bundle_crashes (
  seq bigint DEFAULT nextval('bundle_crashes_seq_seq'::regclass) NOT NULL,
  bundle text NOT NULL,
  thread text NOT NULL,
  worker text NOT NULL,
  reason text NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT bundle_crashes_pkey PRIMARY KEY (seq)
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

CREATE UNLOGGED TABLE gc_condemned (
  hash text NOT NULL,
  rank bigint NOT NULL,
  below text[] DEFAULT '{}'::text[] NOT NULL,
  size integer NOT NULL,
  CONSTRAINT gc_condemned_pkey PRIMARY KEY (hash)
);

CREATE UNLOGGED TABLE gc_rescues (
  hash text NOT NULL
);

CREATE TABLE gc_runs (
  id bigint DEFAULT nextval('gc_runs_id_seq'::regclass) NOT NULL,
  phase text NOT NULL,
  dry_run boolean NOT NULL,
  cutoff timestamp with time zone NOT NULL,
  actor text NOT NULL,
  marked bigint DEFAULT 0 NOT NULL,
  objects bigint DEFAULT 0 NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  started_at timestamp with time zone DEFAULT app_now() NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT gc_runs_pkey PRIMARY KEY (id)
);

CREATE TABLE pins (
  hash text NOT NULL,
  owner text NOT NULL,
  note text,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT pins_hash_owner_pk PRIMARY KEY (hash, owner)
);

CREATE TABLE quarantines (
  bundle text NOT NULL,
  reason text NOT NULL,
  crashes integer NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  lifted_at timestamp with time zone,
  lifted_by text,
  note text,
  CONSTRAINT quarantines_pkey PRIMARY KEY (bundle)
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

CREATE TABLE removed_children (
  idempotency_key text NOT NULL,
  thread text NOT NULL,
  CONSTRAINT removed_children_pkey PRIMARY KEY (idempotency_key)
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
  permissions text[],
  draining boolean DEFAULT false NOT NULL,
  drained_by text,
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
  touched_at timestamp with time zone DEFAULT app_now() NOT NULL,
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
  head text,
  CONSTRAINT thread_events_thread_seq_pk PRIMARY KEY (thread, seq)
);

CREATE TABLE thread_inputs (
  thread text NOT NULL,
  seq integer NOT NULL,
  name text NOT NULL,
  value json,
  subject text,
  actor text NOT NULL,
  actor_role text NOT NULL,
  wait text,
  rejected text,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT thread_inputs_thread_seq_pk PRIMARY KEY (thread, seq)
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

CREATE TABLE thread_tasks (
  seq bigint DEFAULT nextval('thread_tasks_seq_seq'::regclass) NOT NULL,
  kind text NOT NULL,
  thread text NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT thread_tasks_pkey PRIMARY KEY (seq)
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
  control_actor text,
  control_reason text,
  forked_at text,
  labels text[] DEFAULT '{}'::text[] NOT NULL,
  permissions text[] DEFAULT '{}'::text[] NOT NULL,
  log_bytes bigint DEFAULT 0 NOT NULL,
  idle_ms bigint DEFAULT 0 NOT NULL,
  idle_since timestamp with time zone,
  CONSTRAINT threads_pkey PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500, fillfactor=60);

CREATE TABLE waits (
  thread text NOT NULL,
  key text NOT NULL,
  kind text NOT NULL,
  status text DEFAULT 'open'::text NOT NULL,
  name text DEFAULT 'input'::text NOT NULL,
  prompt text,
  schema json,
  subject text,
  answerers jsonb,
  wake_at timestamp with time zone,
  targets text[] DEFAULT '{}'::text[] NOT NULL,
  mode text DEFAULT 'all'::text NOT NULL,
  answer json,
  answered_by text,
  answered_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT app_now() NOT NULL,
  CONSTRAINT waits_thread_key_pk PRIMARY KEY (thread, key)
);

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

CREATE INDEX bundle_crashes_recent ON public.bundle_crashes USING btree (bundle, at);

CREATE UNIQUE INDEX bundle_crashes_worker ON public.bundle_crashes USING btree (bundle, worker);

CREATE INDEX gc_condemned_order ON public.gc_condemned USING btree (rank);

CREATE INDEX registry_events_history ON public.registry_events USING btree (workflow, seq);

CREATE UNIQUE INDEX sessions_link_hash ON public.sessions USING btree (link_hash);

CREATE UNIQUE INDEX sessions_token_hash ON public.sessions USING btree (token_hash);

CREATE INDEX start_nodes_parent ON public.start_nodes USING btree (parent_state) WHERE (parent_state IS NOT NULL);

CREATE INDEX start_nodes_prompt ON public.start_nodes USING btree (prompt);

CREATE INDEX state_nodes_child ON public.state_nodes USING btree (child_thread) WHERE (child_thread IS NOT NULL);

CREATE INDEX state_nodes_compact ON public.state_nodes USING btree (compact) WHERE (compact IS NOT NULL);

CREATE INDEX state_nodes_content ON public.state_nodes USING btree (content);

CREATE INDEX thread_tasks_of ON public.thread_tasks USING btree (kind, thread);

CREATE INDEX threads_by_actor ON public.threads USING btree (actor, id);

CREATE INDEX threads_by_bundle ON public.threads USING btree (bundle, id);

CREATE INDEX threads_by_parent ON public.threads USING btree (parent_thread, id) WHERE (parent_thread IS NOT NULL);

CREATE INDEX threads_by_source ON public.threads USING btree (source_thread, id) WHERE (source_thread IS NOT NULL);

CREATE INDEX threads_by_start ON public.threads USING btree (start);

CREATE INDEX threads_by_status ON public.threads USING btree (status, id);

CREATE INDEX threads_by_tag ON public.threads USING gin (tags);

CREATE INDEX threads_by_text ON public.threads USING gin (excerpt gin_trgm_ops);

CREATE INDEX threads_by_workflow ON public.threads USING btree (workflow, status, id);

CREATE INDEX threads_control ON public.threads USING btree (runner) WHERE (control IS NOT NULL);

CREATE INDEX threads_deadline ON public.threads USING btree (deadline_at) WHERE ((deadline_at IS NOT NULL) AND (status = ANY (ARRAY['queued'::text, 'paused'::text, 'waiting'::text])));

CREATE UNIQUE INDEX threads_idempotency ON public.threads USING btree (idempotency_key);

CREATE INDEX threads_queued ON public.threads USING btree (priority DESC, id) WHERE (status = 'queued'::text);

CREATE INDEX threads_running ON public.threads USING btree (id) WHERE (status = 'running'::text);

CREATE INDEX waits_due ON public.waits USING btree (wake_at) WHERE ((status = 'open'::text) AND (wake_at IS NOT NULL));

CREATE INDEX waits_targets ON public.waits USING gin (targets) WHERE ((status = 'open'::text) AND (kind = 'threads'::text));

-- triggers

CREATE TRIGGER thread_inputs_subject BEFORE INSERT ON public.thread_inputs FOR EACH ROW WHEN ((new.subject IS NOT NULL)) EXECUTE FUNCTION gc_keep_subject();

CREATE TRIGGER waits_subject BEFORE INSERT ON public.waits FOR EACH ROW WHEN ((new.subject IS NOT NULL)) EXECUTE FUNCTION gc_keep_subject();

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
