CREATE TABLE "member_mails" (
	"mail_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"poly_user_id" text NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"address_sealed" "bytea",
	"locale" text,
	"return_to" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"awaits_start" boolean DEFAULT true NOT NULL,
	"mailed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "platform_flows" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"flow_id" text NOT NULL,
	"platform" text NOT NULL,
	"account_id" integer NOT NULL,
	"begun_by" text NOT NULL,
	"external_id" text,
	"secrets_sealed" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "platform_accounts" ADD COLUMN "connected_by" text;--> statement-breakpoint
ALTER TABLE "platform_accounts" ADD COLUMN "connected_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "platform_accounts" ADD COLUMN "refresh_token_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "member_mails" ADD CONSTRAINT "member_mails_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_mails" ADD CONSTRAINT "member_mails_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_flows" ADD CONSTRAINT "platform_flows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "member_mails_account" ON "member_mails" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "member_mails_address" ON "member_mails" USING btree ("email_blind","created_at");--> statement-breakpoint
CREATE INDEX "member_mails_age" ON "member_mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "member_mails_awaiting" ON "member_mails" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
CREATE INDEX "platform_flows_expiry" ON "platform_flows" USING btree ("expires_at");