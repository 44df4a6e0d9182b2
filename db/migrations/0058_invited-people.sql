CREATE TABLE "invited_people" (
	"account_id" integer NOT NULL,
	"invited_id" text NOT NULL,
	"poly_user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invited_people_account_id_invited_id_pk" PRIMARY KEY("account_id","invited_id")
);
--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_invited_id_poly_users_poly_user_id_fk" FOREIGN KEY ("invited_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "invited_people_invited" ON "invited_people" USING btree ("invited_id");