ALTER TABLE "links" ADD COLUMN "sandbox_subject" text;--> statement-breakpoint
ALTER TABLE "join_sessions" ADD COLUMN "nonce_hash" "bytea";--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "sandbox_subject" text;