ALTER TABLE "accounts" ADD COLUMN "face_provider" text;--> statement-breakpoint
ALTER TABLE "proof_challenges" ADD COLUMN "provider" text;--> statement-breakpoint
ALTER TABLE "proof_challenges" ADD COLUMN "provider_session" text;--> statement-breakpoint
CREATE UNIQUE INDEX "proof_challenges_provider_session" ON "proof_challenges" USING btree ("provider","provider_session") WHERE provider_session IS NOT NULL;