CREATE INDEX IF NOT EXISTS "links_status" ON "links" USING btree ("account_id","status","created_at","link_uuid");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "links_reference" ON "links" USING btree ("account_id","reference_id","created_at") WHERE reference_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "links_metadata" ON "links" USING gin ("account_id",metadata jsonb_path_ops);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "trust_checks_status" ON "trust_checks" USING btree ("account_id","status","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "trust_checks_type" ON "trust_checks" USING btree ("account_id",(asked->>'link_type'),"created_at","link_session_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "trust_checks_reference" ON "trust_checks" USING btree ("account_id","reference_id","created_at") WHERE reference_id IS NOT NULL;