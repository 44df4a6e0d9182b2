CREATE TYPE "public"."calendar_connection_state" AS ENUM('connected', 'reconnect_required', 'disconnected');--> statement-breakpoint
CREATE TYPE "public"."calendar_intent" AS ENUM('organizer', 'routing');--> statement-breakpoint
CREATE TABLE "calendar_answers" (
	"flow_id" text PRIMARY KEY NOT NULL,
	"account_id" integer,
	"intent" "calendar_intent" NOT NULL,
	"poly_user_id" text,
	"created_by" text NOT NULL,
	"answer_sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "calendar_connections" (
	"connection_id" text PRIMARY KEY NOT NULL,
	"account_id" integer,
	"intent" "calendar_intent" NOT NULL,
	"poly_user_id" text,
	"created_by" text NOT NULL,
	"status" "calendar_connection_state" NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"subject_blind" "bytea" NOT NULL,
	"address_sealed" "bytea" NOT NULL,
	"refresh_token_sealed" "bytea",
	"flow_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"connected_at" timestamp (3) with time zone NOT NULL,
	"refreshed_at" timestamp (3) with time zone,
	"disconnected_at" timestamp (3) with time zone,
	"awaits_signal" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "calendar_flows" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"flow_id" text NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"started_by" jsonb NOT NULL,
	"account_id" integer,
	"intent" "calendar_intent" NOT NULL,
	"secrets_sealed" "bytea" NOT NULL,
	"return_to" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "calendar_answers" ADD CONSTRAINT "calendar_answers_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_answers" ADD CONSTRAINT "calendar_answers_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD CONSTRAINT "calendar_connections_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD CONSTRAINT "calendar_connections_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_flows" ADD CONSTRAINT "calendar_flows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "calendar_answers_age" ON "calendar_answers" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_connections_subject" ON "calendar_connections" USING btree ("subject_blind") WHERE status <> 'disconnected';--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_connections_flow" ON "calendar_connections" USING btree ("flow_id");--> statement-breakpoint
CREATE INDEX "calendar_connections_account" ON "calendar_connections" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "calendar_connections_awaiting" ON "calendar_connections" USING btree ("created_at") WHERE awaits_signal;--> statement-breakpoint
CREATE INDEX "calendar_flows_expiry" ON "calendar_flows" USING btree ("expires_at");