-- Garbage collection beside writers. What may go is what no root reaches. Roots: start and head of every thread's row, the ends that
-- answered a wait, pins, subjects of waits and inputs, and every object that was written or referred to less than the grace time ago.
--
-- A collection: its row in gc_runs (`marking`); marks from the roots into a table of the collector's own; gc_condemned, all that is
-- unmarked and was last touched before the cutoff; marks from the roots once more; then (`sweeping`) deletes what is condemned, in batches.
--
-- Four rules keep every ref whole, also of objects that nobody reaches:
-- 1. A writer that refers to what exists already calls cas_reuse in its transaction. It takes the lock `cairn gc` shared, until the
--    commit, and then looks: what it finds stays. While a collection is under way it leaves a row in gc_rescues for what is old.
-- 2. A collection begins, and each batch is deleted, under that lock exclusively: all writers of rule 1 have committed then, and the
--    next one will see the row in gc_runs. Each batch first takes back what gc_rescues names, with everything below it.
-- 3. Young objects are roots. A new object's refs were touched when it was written, but theirs may be old; and so no object that stays
--    refers to a condemned one: it can be taken back whole.
-- 4. A batch never holds a ref of what is left: gc_condemned.rank falls from each object to its refs, and equal ranks go together. So
--    what is condemned and still exists is whole as well.
--
-- A writer that makes a chain longer needs no rule: the chain is reachable from the thread's row, which it holds. Marking from the
-- roots a second time finds what such writers committed with a clock that was behind the cutoff.
--
-- Killed at any point: while marking, the next collection starts anew; while sweeping, it goes on, and rescues have been kept for it.
-- A crash of the server empties the unlogged tables, gc_condemned and gc_rescues together: then nothing is left to delete.
ALTER TABLE gc_condemned SET UNLOGGED;
--> statement-breakpoint
ALTER TABLE gc_rescues SET UNLOGGED;
--> statement-breakpoint
-- Lets nothing be collected until the transaction ends.
CREATE FUNCTION gc_hold() RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('cairn gc', 0))
$$;
--> statement-breakpoint
-- Makes sure that objects, which the caller refers to in this transaction, exist and stay; CA002 names one that does not. To be
-- called where the bytes were not written just now. What was touched in the last five minutes costs reads only: no collection has a
-- cutoff in that time.
CREATE FUNCTION cas_reuse(hashes text[]) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Stores a node of type content, or finds it stored. Its refs are the caller's to reuse. Does not look for its address in the other
-- tables. CA001: other bytes have it.
CREATE FUNCTION put_content(its_hash text, its_refs text[], its_digest text, its_body text) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- The same for a start node; it has its prompt and its caller, which the caller has made sure of, as refs.
CREATE FUNCTION put_start(its_hash text, its_refs text[], its_digest text, its_body text, its_name text, its_bundle text, its_depth int, its_caller text, its_prompt text)
RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- After an insert of `cas.put` that found the address taken, in whichever table: `same` when these bytes are stored there, and stay;
-- `other`; or `gone`, when it was collected between: then insert again.
CREATE FUNCTION put_again(its_hash text, its_body text, its_raw bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  same boolean;
BEGIN
  PERFORM gc_hold();
  SELECT o.body IS NOT DISTINCT FROM its_body AND o.raw IS NOT DISTINCT FROM its_raw INTO same FROM cas o WHERE o.hash = its_hash LIMIT 1;
  IF NOT FOUND THEN RETURN 'gone'; END IF;
  IF NOT same THEN RETURN 'other'; END IF;
  PERFORM cas_reuse(ARRAY[its_hash]);
  RETURN 'same';
END $$;
--> statement-breakpoint
-- What somebody is asked to approve, or approves, stays as long as the wait or the input does. It need not be an object of ours.
CREATE FUNCTION gc_keep_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM gc_hold();
  PERFORM 1 FROM cas WHERE cas.hash = NEW.subject;
  IF FOUND THEN PERFORM cas_reuse(ARRAY[NEW.subject]); END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER waits_subject BEFORE INSERT ON waits FOR EACH ROW WHEN (NEW.subject IS NOT NULL) EXECUTE FUNCTION gc_keep_subject();
--> statement-breakpoint
CREATE TRIGGER thread_inputs_subject BEFORE INSERT ON thread_inputs FOR EACH ROW WHEN (NEW.subject IS NOT NULL) EXECUTE FUNCTION gc_keep_subject();
--> statement-breakpoint
-- Takes the lock alone: every writer that holds it has committed, and none begins before this transaction ends. Whoever waits for it
-- keeps later writers waiting as well, so not for long (55P03: try again).
CREATE FUNCTION gc_alone() RETURNS void LANGUAGE sql SET lock_timeout = '400ms' AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('cairn gc', 0))
$$;
--> statement-breakpoint
-- Begins a collection, or gives back the one that was left while it swept. The caller is the only collector. A dry run may be beside it.
CREATE FUNCTION gc_begin(who text, dry boolean, grace_seconds int) RETURNS SETOF gc_runs LANGUAGE plpgsql AS $$
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
END $$;
--> statement-breakpoint
-- Deletes the next of what is condemned, in the order of their ranks below `above`, about `most` of them. The last call, which finds
-- nothing, ends the collection. Joins are by primary key, whatever the statistics of these tables say.
CREATE FUNCTION gc_sweep(run bigint, most int, above bigint) RETURNS TABLE (objects bigint, bytes bigint, lowest bigint)
LANGUAGE plpgsql SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
END $$;
