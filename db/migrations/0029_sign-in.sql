CREATE TABLE "invited_addresses" (
	"account_id" integer NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"poly_user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invited_addresses_account_id_email_blind_pk" PRIMARY KEY("account_id","email_blind")
);
--> statement-breakpoint
CREATE TABLE "sso_subjects" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"issuer" text NOT NULL,
	"poly_user_id" text NOT NULL,
	"identity_id" integer,
	"email_domain" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_login_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "managed_by" text;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD COLUMN "enabled" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD COLUMN "client_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD COLUMN "token_type" text DEFAULT 'at+jwt' NOT NULL;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD COLUMN "email_domains" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "invited_addresses" ADD CONSTRAINT "invited_addresses_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_addresses" ADD CONSTRAINT "invited_addresses_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_identity_id_login_emails_identity_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."login_emails"("identity_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "invited_addresses_address" ON "invited_addresses" USING btree ("email_blind");--> statement-breakpoint
CREATE UNIQUE INDEX "sso_subjects_identity" ON "sso_subjects" USING btree ("account_id","issuer","identity_id");--> statement-breakpoint
CREATE INDEX "sso_subjects_user" ON "sso_subjects" USING btree ("poly_user_id");