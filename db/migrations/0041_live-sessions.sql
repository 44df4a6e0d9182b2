DROP INDEX "sessions_user";--> statement-breakpoint
ALTER TABLE "meeting_participants" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "account_id" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "confined_to" integer;--> statement-breakpoint
CREATE INDEX "sessions_identity" ON "sessions" USING btree ("identity_id","created_at") WHERE identity_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("poly_user_id","expires_at") WHERE revoked_at IS NULL;