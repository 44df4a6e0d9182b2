CREATE TABLE "invite_tokens" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"jwt_sealed" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "poly_users" ADD COLUMN "adopted_by" text;--> statement-breakpoint
CREATE INDEX "invite_tokens_expiry" ON "invite_tokens" USING btree ("expires_at");