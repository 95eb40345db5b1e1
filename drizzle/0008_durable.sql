CREATE TABLE "removed_children" (
	"idempotency_key" text PRIMARY KEY NOT NULL,
	"thread" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gc_condemned" (
	"hash" text PRIMARY KEY NOT NULL,
	"rank" bigint NOT NULL,
	"below" text[] DEFAULT '{}'::text[] NOT NULL,
	"size" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gc_rescues" (
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gc_runs" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"phase" text NOT NULL,
	"dry_run" boolean NOT NULL,
	"cutoff" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"marked" bigint DEFAULT 0 NOT NULL,
	"objects" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "pins" (
	"hash" text NOT NULL,
	"owner" text NOT NULL,
	"note" text,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "pins_hash_owner_pk" PRIMARY KEY("hash","owner")
);
--> statement-breakpoint
CREATE TABLE "bundle_crashes" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"bundle" text NOT NULL,
	"thread" text NOT NULL,
	"worker" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quarantines" (
	"bundle" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"crashes" integer NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"lifted_at" timestamp with time zone,
	"lifted_by" text,
	"note" text
);
--> statement-breakpoint
CREATE TABLE "thread_tasks" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"thread" text NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "thread_inputs" (
	"thread" text NOT NULL,
	"seq" integer NOT NULL,
	"name" text NOT NULL,
	"value" json,
	"subject" text,
	"actor" text NOT NULL,
	"actor_role" text NOT NULL,
	"wait" text,
	"rejected" text,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "thread_inputs_thread_seq_pk" PRIMARY KEY("thread","seq")
);
--> statement-breakpoint
CREATE TABLE "waits" (
	"thread" text NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"name" text DEFAULT 'input' NOT NULL,
	"prompt" text,
	"schema" json,
	"subject" text,
	"answerers" jsonb,
	"wake_at" timestamp with time zone,
	"targets" text[] DEFAULT '{}'::text[] NOT NULL,
	"mode" text DEFAULT 'all' NOT NULL,
	"answer" json,
	"answered_by" text,
	"answered_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "waits_thread_key_pk" PRIMARY KEY("thread","key")
);
--> statement-breakpoint
ALTER TABLE "blobs" ADD COLUMN "touched_at" timestamp with time zone DEFAULT app_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "start_nodes" ADD COLUMN "touched_at" timestamp with time zone DEFAULT app_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "runners" ADD COLUMN "permissions" text[];--> statement-breakpoint
ALTER TABLE "runners" ADD COLUMN "draining" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "runners" ADD COLUMN "drained_by" text;--> statement-breakpoint
ALTER TABLE "thread_events" ADD COLUMN "head" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "control_actor" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "control_reason" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "forked_at" text;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "labels" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "permissions" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "log_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "idle_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "idle_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "gc_condemned_order" ON "gc_condemned" USING btree ("rank");--> statement-breakpoint
CREATE INDEX "bundle_crashes_recent" ON "bundle_crashes" USING btree ("bundle","at");--> statement-breakpoint
CREATE UNIQUE INDEX "bundle_crashes_worker" ON "bundle_crashes" USING btree ("bundle","worker");--> statement-breakpoint
CREATE INDEX "thread_tasks_of" ON "thread_tasks" USING btree ("kind","thread");--> statement-breakpoint
CREATE INDEX "waits_due" ON "waits" USING btree ("wake_at") WHERE "waits"."status" = 'open' and "waits"."wake_at" is not null;--> statement-breakpoint
CREATE INDEX "waits_targets" ON "waits" USING gin ("targets") WHERE "waits"."status" = 'open' and "waits"."kind" = 'threads';--> statement-breakpoint
CREATE INDEX "threads_by_parent" ON "threads" USING btree ("parent_thread","id") WHERE "threads"."parent_thread" is not null;--> statement-breakpoint
CREATE INDEX "threads_by_source" ON "threads" USING btree ("source_thread","id") WHERE "threads"."source_thread" is not null;--> statement-breakpoint
CREATE INDEX "threads_control" ON "threads" USING btree ("runner") WHERE "threads"."control" is not null;--> statement-breakpoint
CREATE INDEX "threads_deadline" ON "threads" USING btree ("deadline_at") WHERE "threads"."deadline_at" is not null and "threads"."status" in ('queued', 'paused', 'waiting');