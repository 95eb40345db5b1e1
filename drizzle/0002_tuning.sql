-- Room on each page for the new version of a row, so that an append's update stays heap-only.
ALTER TABLE threads SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
--> statement-breakpoint
ALTER TABLE runners SET (fillfactor = 60);
--> statement-breakpoint
-- Everything with an address, under one shape: what GC, verify and `cas.get` read.
CREATE VIEW cas AS
  SELECT hash, type, body, raw, refs, digest, size, media_type, created_at FROM blobs
  UNION ALL
  SELECT hash, 'start', body, NULL::bytea, refs, digest, octet_length(body), NULL::text, created_at FROM start_nodes
  UNION ALL
  SELECT hash, 'state', body, NULL::bytea, refs, digest, octet_length(body), NULL::text, to_timestamp(timestamp / 1000.0) FROM state_nodes;
