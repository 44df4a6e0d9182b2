ALTER TABLE "affidavits" ADD COLUMN "renew_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "affidavits" ADD COLUMN "renewed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "affidavits" ADD COLUMN "renewal_reason" text;--> statement-breakpoint
CREATE INDEX "affidavits_renewable" ON "affidavits" USING btree ("renew_at","affidavit_id") WHERE renew_at IS NOT NULL;--> statement-breakpoint
UPDATE "affidavits" SET "renew_at" = "available_at" WHERE "status" = 'available' AND "pades_level" IS DISTINCT FROM 'PAdES-B-B';
