CREATE TABLE "stolen_secrets" (
	"secret_id" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"revoked_at" timestamp (3) with time zone NOT NULL,
	"invalidity_date" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "email_requests" ADD COLUMN "secret_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "phone_codes" ADD COLUMN "secret_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "proof_challenges" ADD COLUMN "secret_version" integer DEFAULT 1 NOT NULL;