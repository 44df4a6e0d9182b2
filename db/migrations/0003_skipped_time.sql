ALTER TABLE "trust_checks" ADD COLUMN "skips" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
