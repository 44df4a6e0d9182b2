DROP INDEX "sessions_user";--> statement-breakpoint
ALTER TABLE "meeting_participants" ADD COLUMN "created_by" text;--> statement-breakpoint
-- The host a program brought in was one for each meeting: that of who made the meeting.
UPDATE "meeting_participants" p SET "created_by" = m."created_by" FROM "meetings" m
WHERE m."meeting_key" = p."meeting_key" AND p."role" = 'host'
	AND p."poly_user_id" IS NULL AND p."join_session_id" IS NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "account_id" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "confined_to" integer;--> statement-breakpoint
CREATE INDEX "sessions_identity" ON "sessions" USING btree ("identity_id","created_at") WHERE identity_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("poly_user_id","expires_at") WHERE revoked_at IS NULL;