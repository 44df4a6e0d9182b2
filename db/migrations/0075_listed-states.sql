-- Lists are filtered by these columns. Behind a row policy PostgreSQL uses no statistics of an enum,
-- so it would read all rows of an account for the few in a state.
DROP INDEX "links_ending";--> statement-breakpoint
DROP INDEX "trust_checks_open";--> statement-breakpoint
ALTER TABLE "links"
  ALTER COLUMN "link_type" SET DATA TYPE text,
  ALTER COLUMN "status" SET DATA TYPE text,
  ADD CONSTRAINT "links_status_known" CHECK ("links"."status" IN ('scheduled', 'active', 'paused', 'reserved', 'consumed', 'expired', 'deleted')),
  ADD CONSTRAINT "links_type_known" CHECK ("links"."link_type" IN ('trust_check', 'meeting', 'call', 'invite', 'import', 'prescreen'));--> statement-breakpoint
ALTER TABLE "trust_checks"
  ALTER COLUMN "status" SET DATA TYPE text,
  ADD CONSTRAINT "trust_checks_status_known" CHECK ("trust_checks"."status" IN ('created', 'opened', 'paired', 'collecting', 'processing', 'requires_retry', 'in_review', 'passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'));--> statement-breakpoint
CREATE INDEX "links_ending" ON "links" USING btree ("expires_at") WHERE status IN ('scheduled', 'active', 'paused') AND expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "trust_checks_open" ON "trust_checks" USING btree ("link_uuid") WHERE status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled');--> statement-breakpoint
DROP TYPE "public"."link_state";--> statement-breakpoint
DROP TYPE "public"."link_type";--> statement-breakpoint
DROP TYPE "public"."trust_check_state";
