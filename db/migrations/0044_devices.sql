ALTER TABLE "devices" ADD COLUMN "revoked_for" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "attestation_serials" text[];--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "receipt_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "receipt_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "risk_metric" integer;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "followed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "ends_checks" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "devices_serials" ON "devices" USING gin ("attestation_serials");--> statement-breakpoint
CREATE INDEX "devices_unfollowed" ON "devices" USING btree ("app_id","created_at") WHERE platform = 'ios' AND followed_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "devices_unread_serials" ON "devices" USING btree ("device_id") WHERE platform = 'android' AND attestation_serials IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "devices_ends_checks" ON "devices" USING btree ("device_id") WHERE ends_checks;