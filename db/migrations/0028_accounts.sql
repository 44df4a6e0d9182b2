CREATE TYPE "public"."sso_kind" AS ENUM('jwt', 'introspection', 'userinfo');--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"account_id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_rows" (
	"account_id" integer NOT NULL,
	"seq" bigint NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"object_id" text NOT NULL,
	"details" jsonb NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "audit_rows_account_id_seq_pk" PRIMARY KEY("account_id","seq")
);
--> statement-breakpoint
CREATE TABLE "sso_providers" (
	"provider" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"kind" "sso_kind" NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret_sealed" "bytea",
	"audience" text,
	"group_claim" text NOT NULL,
	"group_roles" jsonb NOT NULL,
	"role_ceiling" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_rows" ADD CONSTRAINT "audit_rows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD CONSTRAINT "sso_providers_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sso_providers_account" ON "sso_providers" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "memberships_account" ON "memberships" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "devices_app" ON "devices" USING btree ("app_id");--> statement-breakpoint
CREATE FUNCTION "audit_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of the audit log are added only';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_rows_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_rows" FOR EACH STATEMENT EXECUTE FUNCTION "audit_refuse"();
