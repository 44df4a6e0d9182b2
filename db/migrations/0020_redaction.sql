ALTER TABLE "idempotency_keys" ADD COLUMN "link_session_id" text;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "is_redacted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "idempotency_keys_session" ON "idempotency_keys" USING btree ("link_session_id") WHERE link_session_id IS NOT NULL;--> statement-breakpoint
-- Sessions that were redacted before left what their links expected.
UPDATE "links" SET "matching_sealed" = NULL, "recipient_sealed" = NULL
WHERE "single_use" AND "status" IN ('consumed', 'expired', 'deleted') AND EXISTS (
  SELECT 1 FROM "trust_checks" t WHERE t."link_uuid" = "links"."link_uuid" AND t."redacted_at" IS NOT NULL);
