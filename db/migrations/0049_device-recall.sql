ALTER TABLE "devices" ADD COLUMN "tokens_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "recall_due" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "recall_status" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "recall_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "recall_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "reinstall_detected" boolean;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "device_flagged" boolean;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "flag_status" text;--> statement-breakpoint
CREATE INDEX "devices_recall_due" ON "devices" USING btree ("created_at") WHERE recall_due IS NOT NULL;