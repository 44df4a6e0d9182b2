CREATE INDEX IF NOT EXISTS "events_in_test" ON "events" USING btree ("account_id","account_seq") WHERE NOT "events"."livemode";--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "links_in_test" ON "links" USING btree ("account_id","created_at","link_uuid") WHERE NOT "links"."livemode";--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "meetings_in_test" ON "meetings" USING btree ("account_id","occurred_at","meeting_key") WHERE NOT "meetings"."livemode";--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "trust_checks_in_test" ON "trust_checks" USING btree ("account_id","created_at","link_session_id") WHERE NOT "trust_checks"."livemode";--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "livemode" boolean DEFAULT true NOT NULL;
