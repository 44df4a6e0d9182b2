CREATE TABLE "app_logos" (
	"app_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"sha256" text NOT NULL,
	"png" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "app_logos" ADD CONSTRAINT "app_logos_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_logos" ADD CONSTRAINT "app_logos_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "app_logos_sha256" ON "app_logos" USING btree ("sha256");--> statement-breakpoint
ALTER TABLE "app_logos" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "app_logos" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "app_logos" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "app_logos" TO trustcheck, trustcheck_worker USING (true);
