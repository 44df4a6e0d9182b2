-- Trusted: who may create in the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE TYPE "public"."ticket_severity" AS ENUM('low', 'normal', 'high', 'critical');--> statement-breakpoint
CREATE TYPE "public"."ticket_state" AS ENUM('open', 'closed');--> statement-breakpoint
CREATE TABLE "mail_reports" (
	"event_id" text PRIMARY KEY NOT NULL,
	"link_uuid" text NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"awaits_signal" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "opened_imports" (
	"address_blind" "bytea" NOT NULL,
	"platform" text NOT NULL,
	"link_uuid" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "opened_imports_address_blind_platform_link_uuid_pk" PRIMARY KEY("address_blind","platform","link_uuid")
);
--> statement-breakpoint
CREATE TABLE "platform_accounts" (
	"platform" text NOT NULL,
	"external_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "platform_accounts_platform_external_id_pk" PRIMARY KEY("platform","external_id")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"ticket_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"app_id" text NOT NULL,
	"link_uuid" text,
	"status" "ticket_state" NOT NULL,
	"severity" "ticket_severity" NOT NULL,
	"report_sealed" "bytea",
	"created_by" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "links_app";--> statement-breakpoint
ALTER TABLE "opened_imports" ADD CONSTRAINT "opened_imports_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_accounts" ADD CONSTRAINT "platform_accounts_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_reports_received" ON "mail_reports" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "mail_reports_awaiting" ON "mail_reports" USING btree ("received_at") WHERE awaits_signal;--> statement-breakpoint
CREATE INDEX "opened_imports_expiry" ON "opened_imports" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tickets_account" ON "tickets" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "tickets_link" ON "tickets" USING btree ("link_uuid");--> statement-breakpoint
CREATE INDEX "links_type" ON "links" USING btree ("account_id","link_type","created_at","link_uuid");--> statement-breakpoint
CREATE INDEX "links_search" ON "links" USING gin (title COLLATE "pg_c_utf8" gin_trgm_ops,reference_id COLLATE "pg_c_utf8" gin_trgm_ops,link_uuid COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "links_app" ON "links" USING btree ("account_id","app_id","created_at","link_uuid");