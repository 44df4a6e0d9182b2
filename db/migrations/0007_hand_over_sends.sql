ALTER TABLE "trust_checks" ADD COLUMN "hand_over_sends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "hand_over_send_id" text;--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
