-- What a command writes: ends, pauses, retries, removals, inputs, forks. As in 0009_life.sql a statement names the status that it
-- leaves, and writes nothing when the thread is not in it any more. Lock order: threads by id, then contents by hash.

-- Stores a node that a command adds to a chain, with its content. `n`: hash, body, refs, digest (hex), role, start, parent (or ''),
-- height, timestamp; and of its content hash, body, refs, digest (hex).
CREATE FUNCTION put_step(n text[]) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Ends a thread that no runner holds: its end node `n` was built on `expected`, under `token`.
CREATE FUNCTION end_unheld(thread_id text, token bigint, expected text, n text[], ended_as text, code int, why text, actor text)
RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Asks something of the runner that holds a thread (`pause`, `kill`), or takes it back (null).
CREATE FUNCTION ask_runner(thread_id text, asked text, asks text, event text, who text, why text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Pauses a thread that no runner holds, or takes a paused one back to the queue. What it waits for stays as it is, so that a thread
-- that waited when it was paused waits again when its role runs again, or has its answer by then.
CREATE FUNCTION move_unheld(thread_id text, left_status text, to_status text, event text, who text, why text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- How much time a thread had at first, until its deadline; null: it has none. The event of its start says it.
CREATE FUNCTION first_time(t threads) RETURNS interval LANGUAGE sql STABLE AS $$
  SELECT (e.data->>'deadlineAt')::timestamptz - t.created_at FROM thread_events e WHERE e.thread = t.id AND e.seq = 1
$$;
--> statement-breakpoint
-- Puts a thread that failed or was killed back into the queue, behind the marker `n` on its end node. It has as much time as it had at
-- first.
CREATE FUNCTION retry_thread(thread_id text, expected text, n text[], who text, why text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Removes a thread that no runner holds. Its nodes stay until they are collected, and its events for good: they are what says that it
-- was there. For who waits for it and for its children a removal is an end.
CREATE FUNCTION remove_thread(thread_id text, left_status text, who text, why text) RETURNS boolean LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Somebody gives a thread an input: it answers the open wait of that name, which the caller has checked it against and names, or
-- is kept for one that comes later (`open_wait` null). Under the lock of the thread's row, as the writing of a wait is, so that an
-- input is seen by the wait, or the wait by the input, whichever comes first.
CREATE FUNCTION give_input(thread_id text, open_wait text, input_name text, input_value json, input_subject text, who text, who_role text, most int)
RETURNS TABLE (outcome text, status text) LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Forks a thread: the marker `marker` on a node of its history, perhaps a step `injected` on that, a row and its event, in one commit
-- and at a cost that does not grow with the history. The source is locked, so that what is shared stays reachable; it is not written
-- to. Null: there is no such thread any more. Else why the bounds of the workflow refuse it, or an empty text: it is done.
CREATE FUNCTION fork_thread(
  source text, fork text, marker text[], injected text[], at_node text,
  its_workflow text, its_bundle text, start_hash text, start_body text, start_refs text[], start_digest text, its_depth int, its_caller text,
  prompt_hash text, prompt_body text, prompt_digest text,
  its_steps int, its_priority int, rounds int, its_tags text[], its_labels text[], its_permissions text[], who text, its_origin text,
  its_excerpt text, why text, concurrency int, queue_depth int, overflow text
) RETURNS text LANGUAGE plpgsql AS $$
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
END $$;
