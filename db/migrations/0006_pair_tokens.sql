ALTER TABLE "trust_checks" ADD COLUMN "pair_generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_spent_generation" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "pair_spent_by" text;--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
