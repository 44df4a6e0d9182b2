ALTER TABLE "reviews" ADD COLUMN "decided_at" timestamp (3) with time zone;--> statement-breakpoint
UPDATE "reviews" SET "decided_at" = "created_at";
