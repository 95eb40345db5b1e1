-- What a thread can go through: the statements of 0003_engine.sql again, where waiting, children, commands and limits change
-- them, and those that are new. Lock order as there: threads by id, then contents by hash. No statement locks a thread because
-- of what happens to another one: it leaves a row in thread_tasks.

-- Writes the event of a change that has just been made: `t` is the row after it, with its event_seq raised.
CREATE FUNCTION tell(t threads, type text, actor text, reason text, data jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thread_events (thread, seq, type, status, height, head, actor, reason, data)
    VALUES (t.id, t.event_seq, type, t.status, t.height, t.head, actor, reason, data);
END $$;
--> statement-breakpoint
-- A thread has stopped running: what queues behind it in its workflow may be claimed now.
CREATE FUNCTION place_freed(t threads) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM threads q WHERE q.workflow = t.workflow AND q.status = 'queued') THEN PERFORM pg_notify('cairn_work', ''); END IF;
END $$;
--> statement-breakpoint
-- What follows from the end of a thread, whatever ended it: who waits for it looks again, its unfinished children end too, and
-- a place in its workflow is free.
CREATE FUNCTION thread_ended(t threads, by_whom text) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Counts a crash against the bundle: more than 5 in 60 s put it into quarantine, until an operator lifts it.
CREATE FUNCTION count_crash(t threads, crashed_worker text, why text) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION put_contents(f text[], held text[]) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- As before, and what an end leaves to do for other threads. A thread's `control` in the answer is what somebody asks of it.
CREATE OR REPLACE FUNCTION append_steps(steps text, contents text, runner_id text, notify boolean) RETURNS TABLE (thread text, control text, now_ms bigint) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
DROP FUNCTION start_thread(text, text, text, text, text, text, text, text, text[], text, int, text, int, int, int, boolean, text[], text, text, text, text, text);
--> statement-breakpoint
-- Why the bounds of a workflow do not let one more thread into its queue; null: they do, and near the bound nobody else's is let in
-- beside it before the caller commits.
CREATE FUNCTION queue_refusal(its_workflow text, concurrency int, queue_depth int, overflow text) RETURNS text LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Starts a thread: prompt, start node, row and event in one commit. With an idempotency key that exists, returns the thread
-- that has it (created = false); the caller compares `digest` with its own. A child is started under its parent's lease:
-- no row comes back when that is gone. Above the bounds of its workflow the thread is `dropped`, with the reason in its summary.
CREATE FUNCTION start_thread(
  id text, workflow text, bundle text, prompt_hash text, prompt_body text, prompt_digest text,
  start_hash text, start_body text, start_refs text[], start_digest text, depth int, parent_state text,
  priority int, max_rounds int, deadline_seconds int, dry_run boolean, tags text[], actor text, origin text,
  idempotency_key text, idempotency_digest text, excerpt text,
  parent_thread text, parent_token bigint, labels text[], permissions text[], concurrency int, queue_depth int, overflow text
) RETURNS TABLE (thread text, created boolean, digest text, thread_status text, thread_bundle text, why text) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Answers the open wait of a thread whose row the caller has locked, when its condition is true. Says whether it did.
CREATE FUNCTION resolve_wait(thread_id text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Takes a thread that waits back to the queue; its wait has been answered. The caller has locked the row.
CREATE FUNCTION wake_thread(thread_id text, actor text, reason text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Looks again at the waits whose time has come or whose targets have ended. Returns how many threads went back to the queue.
CREATE FUNCTION wake_threads(most int) RETURNS int LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- A role waits. Outcomes: `answered` (with the answer; nothing else has changed), `suspended` (the thread holds no runner any
-- more), `inputs` (inputs came that the caller has not seen: look at them and call again), `kill` (it is to end),
-- `cycle` (one of the targets waits for this thread), `lost` (the lease). `chosen`: seq of a kept input that the caller found
-- to fit. `seen`: the newest input it has looked at. `timeout_ms` and `until_ms` count when the wait is first written.
CREATE FUNCTION suspend_thread(
  runner_id text, thread_id text, token bigint, wait_key text, wait_kind text, wait_name text, wait_prompt text, wait_schema json,
  wait_subject text, wait_answerers jsonb, until_ms bigint, timeout_ms bigint, wait_targets text[], wait_mode text, seen int, chosen int
) RETURNS TABLE (outcome text, wait_status text, answer json, answered_by text, wake_ms bigint) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- A runner does what was asked of its thread: pauses it, and says `paused`. Or else `kill` (that was asked meanwhile), `go` (nothing
-- is asked any more), `lost`. With `forced`, pauses it for that reason, though nobody asked.
CREATE FUNCTION park_thread(runner_id text, thread_id text, token bigint, forced text) RETURNS text LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- What a runner is to do beside its threads: `pause` and `kill` of its own, `end` (tasks of whoever comes first), `deadline`
-- (of threads that no runner holds), `drain`.
CREATE FUNCTION runner_orders(runner_id text) RETURNS TABLE (kind text, thread text, actor text, reason text, seq bigint) LANGUAGE sql STABLE AS $$
  SELECT t.control, t.id, t.control_actor, t.control_reason, NULL::bigint FROM threads t WHERE t.runner = runner_id AND t.control IS NOT NULL
  UNION ALL
  (SELECT 'end', k.thread, k.actor, k.reason, k.seq FROM thread_tasks k WHERE k.kind = 'kill' ORDER BY k.seq LIMIT 100)
  UNION ALL
  (SELECT 'deadline', t.id, 'engine', 'its deadline passed', NULL FROM threads t
    WHERE t.deadline_at IS NOT NULL AND t.status IN ('queued', 'paused', 'waiting') AND t.deadline_at <= app_now() ORDER BY t.deadline_at LIMIT 100)
  UNION ALL
  SELECT 'drain', NULL, r.drained_by, NULL, NULL FROM runners r WHERE r.id = runner_id AND r.draining
$$;
--> statement-breakpoint
DROP FUNCTION claim_threads(text, int, int, boolean);
--> statement-breakpoint
DROP FUNCTION claim_one(text, text, int);
--> statement-breakpoint
CREATE FUNCTION claim_one(runner_id text, thread_id text, lease_ms int)
RETURNS TABLE (
  id text, token bigint, workflow text, bundle text, start text, head text, height int, steps int, crashes int, attempt int,
  max_rounds int, deadline_ms bigint, started_ms bigint, idle_ms bigint, log_bytes bigint, dry_run boolean, depth int, control text, control_actor text, control_reason text, actor text,
  start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint
) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Claims up to `capacity` threads: highest priority, then oldest, of workflows that are below their concurrency, of bundles that
-- are not in quarantine, with labels and permissions that this runner has (null: all permissions). Before that, waits whose time
-- has come; with `sweep`, threads whose lease has run out: their runner is gone, which counts as a crash until they append again.
CREATE FUNCTION claim_threads(runner_id text, capacity int, lease_ms int, sweep boolean, my_labels text[], my_permissions text[])
RETURNS TABLE (
  id text, token bigint, workflow text, bundle text, start text, head text, height int, steps int, crashes int, attempt int,
  max_rounds int, deadline_ms bigint, started_ms bigint, idle_ms bigint, log_bytes bigint, dry_run boolean, depth int, control text, control_actor text, control_reason text, actor text,
  start_body text, start_digest text, prompt_body text, created_ms bigint, grants text, limits text, now_ms bigint
) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
DROP FUNCTION heartbeat(text, text[], bigint[], int, int);
--> statement-breakpoint
-- Extends the leases of a runner's threads and says that the runner lives. Returns the threads that it still holds, and first
-- a row without a thread, whose control is `drain` when the runner is to claim nothing more.
CREATE FUNCTION heartbeat(runner_id text, thread_ids text[], tokens bigint[], lease_ms int, refused int)
RETURNS TABLE (thread text, control text, now_ms bigint) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
DROP FUNCTION requeue_threads(text, text[], bigint[], text, text, int);
--> statement-breakpoint
-- Gives threads back to the queue, their lease with them. `event` is released (a clean stop, no penalty), crashed or lease_expired. A thread that was
-- to be paused is paused by it; for one that was to be killed, a task is left that ends it. `crashed_worker` names the worker that
-- was lost, which is one crash however many threads were in it; null: each thread is one of its own.
CREATE FUNCTION requeue_threads(runner_id text, thread_ids text[], tokens bigint[], event text, why text, delay_ms int, crashed_worker text)
RETURNS TABLE (thread text) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- As before, and counts the bytes of a thread's log: 64 a line beside its text.
CREATE OR REPLACE FUNCTION append_logs(thread_ids text[], tokens bigint[], levels text[], tags text[], texts text[])
RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- A kept input did not fit the wait that it was kept for.
CREATE FUNCTION reject_input(thread_id text, token bigint, input_seq int, why text) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
