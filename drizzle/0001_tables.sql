CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"link_hash" "bytea" NOT NULL,
	"link_expires_at" timestamp with time zone NOT NULL,
	"token_hash" "bytea",
	"opened_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"hash" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"body" text,
	"raw" "bytea",
	"refs" text[] DEFAULT '{}'::text[] NOT NULL,
	"digest" "bytea" NOT NULL,
	"size" integer NOT NULL,
	"media_type" text,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "blobs_one_body" CHECK (("blobs"."body" is null) <> ("blobs"."raw" is null))
);
--> statement-breakpoint
CREATE TABLE "start_nodes" (
	"hash" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"refs" text[] NOT NULL,
	"digest" "bytea" NOT NULL,
	"name" text NOT NULL,
	"bundle" text NOT NULL,
	"depth" integer NOT NULL,
	"parent_state" text,
	"prompt" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "state_nodes" (
	"hash" text PRIMARY KEY NOT NULL,
	"body" text NOT NULL,
	"refs" text[] NOT NULL,
	"digest" "bytea" NOT NULL,
	"role" text NOT NULL,
	"start" text NOT NULL,
	"content" text NOT NULL,
	"parent" text,
	"height" integer NOT NULL,
	"compact" text,
	"child_thread" text,
	"timestamp" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bundles" (
	"hash" text PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"descriptor" jsonb NOT NULL,
	"types" text,
	"size" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "registry_events" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"workflow" text NOT NULL,
	"type" text NOT NULL,
	"before" text,
	"after" text,
	"actor" text NOT NULL,
	"note" text,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workflows" (
	"name" text PRIMARY KEY NOT NULL,
	"current" text NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"version" bigint NOT NULL,
	"grants" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"limits" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runners" (
	"id" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"node_version" text NOT NULL,
	"capacity" integer NOT NULL,
	"active" integer DEFAULT 0 NOT NULL,
	"labels" text[] DEFAULT '{}'::text[] NOT NULL,
	"sandbox" text[] DEFAULT '{}'::text[] NOT NULL,
	"started_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"heartbeat_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"stopped_at" timestamp with time zone,
	"stale_writes" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "thread_events" (
	"thread" text NOT NULL,
	"seq" integer NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"height" integer NOT NULL,
	"actor" text NOT NULL,
	"reason" text,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "thread_events_thread_seq_pk" PRIMARY KEY("thread","seq")
);
--> statement-breakpoint
CREATE TABLE "thread_logs" (
	"thread" text NOT NULL,
	"seq" integer NOT NULL,
	"height" integer NOT NULL,
	"level" text NOT NULL,
	"tag" text,
	"text" text NOT NULL,
	"at" timestamp with time zone DEFAULT app_now() NOT NULL,
	CONSTRAINT "thread_logs_thread_seq_pk" PRIMARY KEY("thread","seq")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" text PRIMARY KEY NOT NULL,
	"workflow" text NOT NULL,
	"bundle" text NOT NULL,
	"status" text NOT NULL,
	"control" text,
	"start" text NOT NULL,
	"head" text NOT NULL,
	"height" integer DEFAULT 0 NOT NULL,
	"steps" integer DEFAULT 0 NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"available_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"crashes" integer DEFAULT 0 NOT NULL,
	"lease_token" bigint DEFAULT 0 NOT NULL,
	"lease_expires_at" timestamp with time zone,
	"runner" text,
	"depth" integer DEFAULT 0 NOT NULL,
	"parent_thread" text,
	"source_thread" text,
	"max_rounds" integer,
	"deadline_at" timestamp with time zone,
	"dry_run" boolean DEFAULT false NOT NULL,
	"tags" text[] DEFAULT '{}'::text[] NOT NULL,
	"actor" text NOT NULL,
	"origin" text NOT NULL,
	"idempotency_key" text,
	"idempotency_digest" text,
	"excerpt" text NOT NULL,
	"return_code" integer,
	"summary" text,
	"event_seq" integer DEFAULT 0 NOT NULL,
	"log_seq" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT app_now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT app_now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_key_hash" ON "api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_link_hash" ON "sessions" USING btree ("link_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token_hash" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "state_nodes_child" ON "state_nodes" USING btree ("child_thread") WHERE "state_nodes"."child_thread" is not null;--> statement-breakpoint
CREATE INDEX "registry_events_history" ON "registry_events" USING btree ("workflow","seq" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "threads_queued" ON "threads" USING btree ("priority" DESC NULLS LAST,"id") WHERE "threads"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "threads_running" ON "threads" USING btree ("id") WHERE "threads"."status" = 'running';--> statement-breakpoint
CREATE INDEX "threads_by_workflow" ON "threads" USING btree ("workflow","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "threads_by_status" ON "threads" USING btree ("status","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "threads_by_bundle" ON "threads" USING btree ("bundle","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "threads_by_start" ON "threads" USING btree ("start");--> statement-breakpoint
CREATE UNIQUE INDEX "threads_idempotency" ON "threads" USING btree ("idempotency_key");