CREATE TABLE "reviews" (
	"review_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"decision" text NOT NULL,
	"reviewer" text NOT NULL,
	"note_sealed" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reviews_session" ON "reviews" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");