ALTER TYPE "public"."event_type" ADD VALUE 'affidavit.failed' BEFORE 'affidavit.superseded';--> statement-breakpoint
ALTER TABLE "affidavits" ADD COLUMN "reason_code" text;--> statement-breakpoint
ALTER TABLE "affidavits" ADD COLUMN "failed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "affidavit_reason" text;--> statement-breakpoint
CREATE INDEX "affidavits_failed" ON "affidavits" USING btree ("failed_at") WHERE "affidavits"."status" = 'failed';--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP COLUMN "status";