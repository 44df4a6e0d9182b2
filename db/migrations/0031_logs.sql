-- Trusted: who may create in the database may create it.
CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
CREATE TABLE "prescreen_days" (
	"account_id" integer NOT NULL,
	"livemode" boolean NOT NULL,
	"job_id" text NOT NULL,
	"day" date NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "prescreen_days_account_id_livemode_job_id_day_pk" PRIMARY KEY("account_id","livemode","job_id","day")
);
--> statement-breakpoint
CREATE TABLE "prescreen_rollups" (
	"account_id" integer PRIMARY KEY NOT NULL,
	"account_seq" bigint NOT NULL,
	"refreshed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "photos" (
	"object_path" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"object_key" text NOT NULL,
	"content_type" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "meetings_search";--> statement-breakpoint
DROP INDEX "meetings_names";--> statement-breakpoint
DROP INDEX "trust_checks_account";--> statement-breakpoint
DROP INDEX "trust_checks_subject";--> statement-breakpoint
ALTER TABLE "prescreen_days" ADD CONSTRAINT "prescreen_days_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prescreen_rollups" ADD CONSTRAINT "prescreen_rollups_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "photos" ADD CONSTRAINT "photos_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "photos_session" ON "photos" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_app" ON "trust_checks" USING btree ("account_id","app_id","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_search" ON "trust_checks" USING gin ("account_id",(asked->>'title') COLLATE "pg_c_utf8" gin_trgm_ops,reference_id COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "meetings_search" ON "meetings" USING gin ("account_id",topic COLLATE "pg_c_utf8" gin_trgm_ops,organization COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "meetings_names" ON "meetings" USING gin ("account_id","names_blind");--> statement-breakpoint
CREATE INDEX "trust_checks_account" ON "trust_checks" USING btree ("account_id","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_subject" ON "trust_checks" USING btree ("poly_user_id","account_id","created_at","link_session_id");