ALTER TABLE "trust_checks" ADD COLUMN "asked" jsonb;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "matching_sealed" "bytea";--> statement-breakpoint
-- What is not decided yet needs the expected values too; what was redacted must not get them back.
UPDATE "trust_checks" t SET "asked" = jsonb_build_object('policy', l."policy",
    'requested_claims', l."requested_claims", 'max_attempts', l."max_attempts", 'title', l."title",
    'link_type', l."link_type", 'redirect_url', l."redirect_url", 'app_name', p."name",
    'account_name', a."name"),
  "matching_sealed" = CASE WHEN t."status" IN ('passed', 'failed', 'declined', 'expired',
    'abandoned', 'canceled') THEN NULL ELSE l."matching_sealed" END
FROM "links" l JOIN "apps" p USING ("app_id") JOIN "accounts" a ON a."account_id" = l."account_id"
WHERE l."link_uuid" = t."link_uuid";--> statement-breakpoint
ALTER TABLE "trust_checks" ALTER COLUMN "asked" SET NOT NULL;
