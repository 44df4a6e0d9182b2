ALTER TABLE "trust_checks" ADD COLUMN "image_retention_days" integer;--> statement-breakpoint
CREATE INDEX "trust_checks_images_days" ON "trust_checks" USING btree ("image_retention_days","decided_at","link_session_id") WHERE decided_at IS NOT NULL AND images_removed_at IS NULL AND image_retention_days IS NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_image_retention_days_range" CHECK ("accounts"."image_retention_days" BETWEEN 0 AND 30);--> statement-breakpoint
CREATE OR REPLACE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
