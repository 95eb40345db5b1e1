DROP INDEX "registry_events_history";--> statement-breakpoint
DROP INDEX "threads_queued";--> statement-breakpoint
DROP INDEX "threads_by_workflow";--> statement-breakpoint
DROP INDEX "threads_by_status";--> statement-breakpoint
DROP INDEX "threads_by_bundle";--> statement-breakpoint
CREATE INDEX "threads_by_actor" ON "threads" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "threads_by_tag" ON "threads" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "threads_by_text" ON "threads" USING gin ("excerpt" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "registry_events_history" ON "registry_events" USING btree ("workflow","seq");--> statement-breakpoint
CREATE INDEX "threads_queued" ON "threads" USING btree ("priority" DESC NULLS FIRST,"id") WHERE "threads"."status" = 'queued';--> statement-breakpoint
CREATE INDEX "threads_by_workflow" ON "threads" USING btree ("workflow","status","id");--> statement-breakpoint
CREATE INDEX "threads_by_status" ON "threads" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "threads_by_bundle" ON "threads" USING btree ("bundle","id");