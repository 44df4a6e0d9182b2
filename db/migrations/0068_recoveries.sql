ALTER TYPE "public"."event_type" ADD VALUE 'identity.recovery_updated' BEFORE 'calendar.connected';--> statement-breakpoint
CREATE TABLE "recoveries" (
	"recovery_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"poly_user_id" text NOT NULL,
	"link_uuid" text,
	"status" text NOT NULL,
	"locale" text,
	"opened_by" text NOT NULL,
	"decided_by" text,
	"device_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "member_mails" ADD COLUMN "kind" text DEFAULT 'invitation' NOT NULL;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "recoveries_live" ON "recoveries" USING btree ("poly_user_id") WHERE status IN ('open', 'approved');--> statement-breakpoint
CREATE INDEX "recoveries_member" ON "recoveries" USING btree ("account_id","poly_user_id","created_at");--> statement-breakpoint
CREATE INDEX "recoveries_ending" ON "recoveries" USING btree ("expires_at") WHERE status IN ('open', 'approved');