ALTER TABLE "devices" ADD COLUMN "revoked_for" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "attestation_serials" text[];--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "ends_checks" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "devices_serials" ON "devices" USING gin ("attestation_serials");--> statement-breakpoint
CREATE INDEX "devices_ends_checks" ON "devices" USING btree ("device_id") WHERE ends_checks;