ALTER TABLE "invited_addresses" ADD COLUMN "address_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "email_requests" ADD COLUMN "network_blind" "bytea";--> statement-breakpoint
ALTER TABLE "email_requests" ADD COLUMN "admitted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "recipient_blind" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "mail_admitted_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "email_requests_asker" ON "email_requests" USING btree ("poly_user_id","created_at") WHERE poly_user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "links_recipient" ON "links" USING btree ("recipient_blind","mail_admitted_at") WHERE mail_admitted_at IS NOT NULL;