CREATE TYPE "public"."email_purpose" AS ENUM('login', 'attach');--> statement-breakpoint
CREATE TYPE "public"."email_request_state" AS ENUM('requested', 'sent', 'consumed', 'superseded', 'expired', 'dropped');--> statement-breakpoint
CREATE TABLE "email_requests" (
	"request_id" text PRIMARY KEY NOT NULL,
	"purpose" "email_purpose" NOT NULL,
	"poly_user_id" text,
	"address_blind" "bytea" NOT NULL,
	"address_sealed" "bytea" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"app_id" text,
	"return_to" text,
	"locale" text,
	"state" "email_request_state" NOT NULL,
	"code_tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"mailed_at" timestamp (3) with time zone,
	"consumed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "invite_tokens" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"jwt_sealed" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "login_emails" ADD COLUMN "last_login_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "poly_users" ADD COLUMN "adopted_by" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "identity_id" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "device_label" text;--> statement-breakpoint
ALTER TABLE "email_requests" ADD CONSTRAINT "email_requests_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "email_requests_token" ON "email_requests" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "email_requests_address" ON "email_requests" USING btree ("address_blind","created_at");--> statement-breakpoint
CREATE INDEX "email_requests_age" ON "email_requests" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "email_requests_untaken" ON "email_requests" USING btree ("created_at") WHERE taken_at IS NULL;--> statement-breakpoint
CREATE INDEX "invite_tokens_expiry" ON "invite_tokens" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_identity_id_login_emails_identity_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."login_emails"("identity_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "login_emails_user" ON "login_emails" USING btree ("poly_user_id");