CREATE INDEX "blobs_rare" ON "blobs" USING btree ("type","hash") WHERE "blobs"."type" <> 'content';--> statement-breakpoint
CREATE INDEX "blobs_refs" ON "blobs" USING gin ("refs") WHERE "blobs"."refs" <> '{}';--> statement-breakpoint
CREATE INDEX "start_nodes_prompt" ON "start_nodes" USING btree ("prompt");--> statement-breakpoint
CREATE INDEX "start_nodes_parent" ON "start_nodes" USING btree ("parent_state") WHERE "start_nodes"."parent_state" is not null;--> statement-breakpoint
CREATE INDEX "state_nodes_compact" ON "state_nodes" USING btree ("compact") WHERE "state_nodes"."compact" is not null;--> statement-breakpoint
CREATE INDEX "state_nodes_content" ON "state_nodes" USING btree ("content");