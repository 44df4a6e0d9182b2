CREATE TYPE "public"."attestation_level" AS ENUM('A', 'B', 'C');--> statement-breakpoint
CREATE TYPE "public"."join_session_state" AS ENUM('created', 'claimed', 'verifying', 'ready', 'joined', 'denied', 'expired', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."meeting_platform" AS ENUM('conf-a', 'conf-b', 'sandbox');--> statement-breakpoint
CREATE TYPE "public"."meeting_report_state" AS ENUM('pending', 'available', 'failed');--> statement-breakpoint
CREATE TYPE "public"."meeting_state" AS ENUM('scheduled', 'starting', 'live', 'ended', 'reported', 'start_failed', 'canceled', 'no_show');--> statement-breakpoint
CREATE TYPE "public"."participant_role" AS ENUM('host', 'participant');--> statement-breakpoint
CREATE TYPE "public"."participant_state" AS ENUM('invited', 'waiting', 'joined', 'left', 'removed', 'denied');--> statement-breakpoint
CREATE TYPE "public"."tracking_state" AS ENUM('ok', 'delayed', 'lost');--> statement-breakpoint
CREATE TYPE "public"."verification_state" AS ENUM('unverified', 'pending', 'verified', 'stale', 'failed');--> statement-breakpoint
CREATE TABLE "join_sessions" (
	"join_session_id" text PRIMARY KEY NOT NULL,
	"link_uuid" text NOT NULL,
	"account_id" integer NOT NULL,
	"participant_id" text NOT NULL,
	"status" "join_session_state" NOT NULL,
	"display_name_sealed" "bytea",
	"platform" "meeting_platform" NOT NULL,
	"client" text NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"link_session_id" text,
	"meeting_key" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "meeting_participants" (
	"participant_id" text PRIMARY KEY NOT NULL,
	"meeting_key" text NOT NULL,
	"account_id" integer NOT NULL,
	"poly_user_id" text,
	"role" "participant_role" NOT NULL,
	"display_name_sealed" "bytea",
	"status" "participant_state" NOT NULL,
	"verification" "verification_state" NOT NULL,
	"attestation" "attestation_level",
	"join_session_id" text,
	"link_session_id" text,
	"external_blind" "bytea",
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone,
	"left_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "meeting_reports" (
	"report_id" text PRIMARY KEY NOT NULL,
	"meeting_key" text NOT NULL,
	"account_id" integer NOT NULL,
	"version" integer NOT NULL,
	"status" "meeting_report_state" NOT NULL,
	"object_key" text NOT NULL,
	"sha256" text,
	"size_bytes" integer,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"available_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "meetings" (
	"meeting_key" text PRIMARY KEY NOT NULL,
	"platform" "meeting_platform" NOT NULL,
	"meeting_id" "bytea",
	"link_uuid" text NOT NULL,
	"occurrence" integer NOT NULL,
	"account_id" integer NOT NULL,
	"status" "meeting_state" NOT NULL,
	"tracking" "tracking_state" DEFAULT 'ok' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"livemode" boolean NOT NULL,
	"topic" text,
	"organization" text,
	"host_name_sealed" "bytea",
	"user_name_sealed" "bytea",
	"names_blind" text[] NOT NULL,
	"participant_count" integer DEFAULT 0 NOT NULL,
	"verified_count" integer DEFAULT 0 NOT NULL,
	"join_url_sealed" "bytea",
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"scheduled_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"end_reason" text,
	"created_by" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"awaits_start" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_inbox" (
	"event_id" text PRIMARY KEY NOT NULL,
	"platform" "meeting_platform" NOT NULL,
	"meeting_key" text,
	"body_sealed" "bytea",
	"received_at" timestamp (3) with time zone NOT NULL,
	"awaits_signal" boolean DEFAULT true NOT NULL,
	"taken_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "join_sessions" ADD CONSTRAINT "join_sessions_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "join_sessions" ADD CONSTRAINT "join_sessions_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_participants" ADD CONSTRAINT "meeting_participants_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_reports" ADD CONSTRAINT "meeting_reports_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "join_sessions_browser" ON "join_sessions" USING btree ("browser_hash","link_uuid","created_at");--> statement-breakpoint
CREATE INDEX "join_sessions_check" ON "join_sessions" USING btree ("link_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "join_sessions_participant" ON "join_sessions" USING btree ("participant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "meeting_participants_person" ON "meeting_participants" USING btree ("meeting_key","poly_user_id") WHERE poly_user_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "meeting_participants_external" ON "meeting_participants" USING btree ("meeting_key","external_blind") WHERE external_blind IS NOT NULL;--> statement-breakpoint
CREATE INDEX "meeting_participants_meeting" ON "meeting_participants" USING btree ("meeting_key","created_at");--> statement-breakpoint
CREATE INDEX "meeting_participants_user" ON "meeting_participants" USING btree ("poly_user_id","account_id","occurred_at","meeting_key");--> statement-breakpoint
CREATE INDEX "meeting_participants_check" ON "meeting_participants" USING btree ("link_session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "meeting_reports_version" ON "meeting_reports" USING btree ("meeting_key","version");--> statement-breakpoint
CREATE UNIQUE INDEX "meeting_reports_object" ON "meeting_reports" USING btree ("object_key");--> statement-breakpoint
CREATE UNIQUE INDEX "meetings_platform_id" ON "meetings" USING btree ("platform","meeting_id");--> statement-breakpoint
CREATE UNIQUE INDEX "meetings_link" ON "meetings" USING btree ("link_uuid","occurrence");--> statement-breakpoint
CREATE INDEX "meetings_account" ON "meetings" USING btree ("account_id","occurred_at","meeting_key");--> statement-breakpoint
CREATE INDEX "meetings_search" ON "meetings" USING gin (topic COLLATE "pg_c_utf8" gin_trgm_ops,organization COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "meetings_names" ON "meetings" USING gin ("names_blind");--> statement-breakpoint
CREATE INDEX "meetings_awaiting_start" ON "meetings" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
CREATE INDEX "webhook_inbox_received" ON "webhook_inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "webhook_inbox_awaiting" ON "webhook_inbox" USING btree ("received_at") WHERE awaits_signal;