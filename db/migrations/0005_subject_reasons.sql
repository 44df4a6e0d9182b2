ALTER TABLE "accounts" ADD COLUMN "subject_reasons" text DEFAULT 'plain' NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "subject_reasons" text DEFAULT 'plain' NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_subject_reasons_known" CHECK ("accounts"."subject_reasons" IN ('plain', 'neutral'));--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
