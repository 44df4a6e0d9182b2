ALTER TABLE "audit_heads" ADD COLUMN "checkpoints" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_heads" ADD COLUMN "checkpoint_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "data_keys" ADD COLUMN "wrapped_by" text DEFAULT 'k1' NOT NULL;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "names_blind" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_heads_moved" ON "audit_heads" USING btree ("account_id") WHERE seq <> checkpoint_seq;--> statement-breakpoint
CREATE INDEX "trust_checks_names" ON "trust_checks" USING gin ("account_id","names_blind");