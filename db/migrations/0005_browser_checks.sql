ALTER TABLE "accounts" ADD COLUMN "subject_reasons" text DEFAULT 'plain' NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "subject_reasons" text DEFAULT 'plain' NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_spent_generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_spent_by" text;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "hand_over_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "hand_over_send_id" text;--> statement-breakpoint
CREATE INDEX "trust_checks_judging" ON "trust_checks" USING btree ("link_session_id") WHERE status = 'collecting' AND proofs @> '[{"status": "processing"}]';--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_subject_reasons_known" CHECK ("accounts"."subject_reasons" IN ('plain', 'neutral'));--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
