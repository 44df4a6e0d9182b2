CREATE TYPE "public"."certificate_kind" AS ENUM('people', 'services');--> statement-breakpoint
CREATE TYPE "public"."revocation_reason" AS ENUM('unspecified', 'compromised', 'superseded');--> statement-breakpoint
CREATE TABLE "crls" (
	"issuer_kid" text PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"der" "bytea",
	"is_stale" boolean NOT NULL,
	"this_update" timestamp (3) with time zone,
	"next_update" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "poly_user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ALTER COLUMN "der" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "kind" "certificate_kind" NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "issuer_kid" text NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "public_jwk" jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "revocation_reason" "revocation_reason";--> statement-breakpoint
CREATE INDEX "certificates_device" ON "certificates" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "certificates_kid" ON "certificates" USING btree ("kid");--> statement-breakpoint
CREATE INDEX "certificates_revoked" ON "certificates" USING btree ("issuer_kid","revoked_at") WHERE "certificates"."revoked_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" DROP COLUMN "reason";--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_of_a_user" CHECK (("certificates"."kind" = 'people') = ("certificates"."poly_user_id" IS NOT NULL));--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_reason" CHECK (("certificates"."revoked_at" IS NULL) = ("certificates"."revocation_reason" IS NULL));