ALTER TABLE "api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "sso_member" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "sso_provider" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_sso_member_poly_users_poly_user_id_fk" FOREIGN KEY ("sso_member") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_sso_member" ON "api_keys" USING btree ("sso_member") WHERE sso_member IS NOT NULL;