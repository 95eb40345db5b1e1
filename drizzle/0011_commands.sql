-- What a command writes: ends, pauses, retries, removals, inputs, forks. As in 0009_life.sql a statement names the status that it
-- leaves, and writes nothing when the thread is not in it any more. Lock order: threads by id, then contents by hash.

-- Stores a node that a command adds to a chain, with its content. `n`: hash, body, refs, digest (hex), role, start, parent (or ''),
-- height, timestamp; and of its content hash, body, refs, digest (hex).
CREATE FUNCTION put_step(n text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF n[12] <> '{}' THEN PERFORM cas_reuse(n[12]::text[]); END IF;
  INSERT INTO blobs (hash, type, refs, digest, body, size)
    VALUES (n[10], 'content', n[12]::text[], decode(n[13], 'hex'), n[11], octet_length(n[11])) ON CONFLICT (hash) DO NOTHING;
  IF NOT FOUND THEN
    PERFORM 1 FROM blobs b WHERE b.hash = n[10] AND b.body = n[11];
    IF NOT FOUND THEN PERFORM cairn_raise('CA001', n[10]); END IF;
    PERFORM cas_reuse(ARRAY[n[10]]);
  END IF;
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
  -- What it waited for is of no interest any more; after a retry it waits anew.
  DELETE FROM waits w WHERE w.thread = thread_id AND w.status = 'open';
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
