ALTER TABLE "links" ADD COLUMN "ends_sessions" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "links_ends_sessions" ON "links" USING btree ("link_uuid") WHERE ends_sessions;--> statement-breakpoint
UPDATE "links" SET "ends_sessions" = true WHERE "status" = 'deleted' AND EXISTS (
  SELECT 1 FROM "trust_checks" t WHERE t."link_uuid" = "links"."link_uuid" AND t."status" NOT IN
    ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'));
