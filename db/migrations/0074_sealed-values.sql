DROP INDEX "links_metadata";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "transaction_data_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "metadata_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "metadata_digests" "bytea"[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "device_label_sealed" "bytea";--> statement-breakpoint
CREATE INDEX "links_metadata" ON "links" USING gin ("account_id","metadata_digests");--> statement-breakpoint
ALTER TABLE "links" DROP COLUMN "transaction_data";--> statement-breakpoint
ALTER TABLE "links" DROP COLUMN "metadata";--> statement-breakpoint
ALTER TABLE "sessions" DROP COLUMN "device_label";