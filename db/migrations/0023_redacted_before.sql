-- Sessions that were redacted before left what redaction removes by now. Each statement may find
-- nothing to do.
UPDATE "trust_checks" SET "claims_sealed" = NULL, "cancel_reason_sealed" = NULL,
  "matching_sealed" = NULL, "begun_from" = NULL, "return_to" = NULL
WHERE "redacted_at" IS NOT NULL;--> statement-breakpoint
-- What is decided is held against nothing any more; what runs keeps what it is held against.
UPDATE "trust_checks" SET "matching_sealed" = NULL
WHERE "matching_sealed" IS NOT NULL
  AND "status" IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled')
  AND "link_uuid" IN (
    SELECT l."link_uuid" FROM "links" l JOIN "trust_checks" t USING ("link_uuid")
    WHERE l."single_use" AND t."redacted_at" IS NOT NULL);--> statement-breakpoint
UPDATE "proof_submissions" SET "input_sealed" = NULL, "evidence_sealed" = NULL,
  "verdict" = "verdict" || jsonb_build_object('checks', (
    SELECT coalesce(jsonb_agg(c - 'detail'), '[]')
    FROM jsonb_array_elements(CASE jsonb_typeof("verdict"->'checks')
      WHEN 'array' THEN "verdict"->'checks' ELSE '[]' END) c))
WHERE "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
UPDATE "evidence" SET "name" = "evidence_id"
WHERE "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
DELETE FROM "phone_codes" WHERE "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
UPDATE "affidavits" SET "content_sealed" = NULL
WHERE "content_sealed" IS NOT NULL AND "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
DELETE FROM "reviews" WHERE "decided_at" IS NULL AND "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
UPDATE "reviews" SET "note_sealed" = NULL
WHERE "note_sealed" IS NOT NULL AND "link_session_id" IN (
  SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
DELETE FROM "outbox_messages" WHERE "idempotency_key" LIKE 'sms-code/%'
  AND split_part("idempotency_key", '/', 2) IN (
    SELECT "link_session_id" FROM "trust_checks" WHERE "redacted_at" IS NOT NULL);--> statement-breakpoint
DELETE FROM "outbox_messages" WHERE "idempotency_key" IN (
  SELECT 'link-invite/' || l."link_uuid" FROM "links" l JOIN "trust_checks" t USING ("link_uuid")
  WHERE l."single_use" AND t."redacted_at" IS NOT NULL);--> statement-breakpoint
-- One that could be used again comes to its end by its date, of which the workers make the event.
-- A check that runs on one has its own copy of what it is held against.
UPDATE "links" SET "matching_sealed" = NULL, "recipient_sealed" = NULL,
  "awaits_invitation" = false, "version" = "version" + 1, "updated_at" = now(),
  "expires_at" = CASE WHEN "status" IN ('scheduled', 'active', 'paused', 'reserved')
    THEN least("expires_at", now()) ELSE "expires_at" END
WHERE "single_use" AND EXISTS (
    SELECT 1 FROM "trust_checks" t
    WHERE t."link_uuid" = "links"."link_uuid" AND t."redacted_at" IS NOT NULL)
  AND ("status" IN ('scheduled', 'active', 'paused', 'reserved')
    OR "matching_sealed" IS NOT NULL OR "recipient_sealed" IS NOT NULL OR "awaits_invitation");
