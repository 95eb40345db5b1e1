-- The only row clock. Tests replace this function in their own database to move time (db/testing/clock.ts).
CREATE FUNCTION app_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS 'select clock_timestamp()';
--> statement-breakpoint
-- Milliseconds since the epoch, the form in which nodes carry time.
CREATE FUNCTION app_now_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE AS 'select (extract(epoch from app_now()) * 1000)::bigint';
--> statement-breakpoint
-- Ends a statement with a private SQLSTATE that db/errors.ts maps to an AppError: CA001 = hash collision, CA002 = missing ref.
CREATE FUNCTION cairn_raise(state text, message text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS
'begin raise exception using errcode = state, message = message; end';
