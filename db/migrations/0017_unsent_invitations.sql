ALTER TABLE "links" ADD COLUMN "awaits_invitation" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "links_awaiting_invitation" ON "links" USING btree ("created_at") WHERE awaits_invitation;--> statement-breakpoint
UPDATE "links" SET "awaits_invitation" = true WHERE "emailed" AND "delivery"->>'status' = 'queued';
