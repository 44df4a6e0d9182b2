ALTER TABLE "trust_checks" ADD COLUMN "awaits_start" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "trust_checks_awaiting_start" ON "trust_checks" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
UPDATE "trust_checks" SET "awaits_start" = true WHERE "status" = 'created' AND "version" = 0;
