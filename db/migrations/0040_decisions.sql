ALTER TABLE "trust_checks" ADD COLUMN "decision" jsonb;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "document_blind" "bytea";--> statement-breakpoint
CREATE INDEX "trust_checks_document" ON "trust_checks" USING btree ("account_id","document_blind") WHERE document_blind IS NOT NULL;