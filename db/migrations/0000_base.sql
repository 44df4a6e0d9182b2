CREATE TYPE "public"."app_kind" AS ENUM('sdk', 'portal');--> statement-breakpoint
CREATE TYPE "public"."app_status" AS ENUM('active', 'archived');--> statement-breakpoint
CREATE TYPE "public"."login_email_status" AS ENUM('ACTIVE', 'REVOKED');--> statement-breakpoint
CREATE TYPE "public"."user_kind" AS ENUM('cert', 'email');--> statement-breakpoint
CREATE TYPE "public"."device_platform" AS ENUM('ios', 'android');--> statement-breakpoint
CREATE TYPE "public"."endpoint_status" AS ENUM('enabled', 'disabled', 'removed');--> statement-breakpoint
CREATE TYPE "public"."event_type" AS ENUM('link.created', 'link.updated', 'link.reserved', 'link.consumed', 'link.expired', 'link.deleted', 'link.delivery_updated', 'trust_check.created', 'trust_check.opened', 'trust_check.paired', 'trust_check.consented', 'trust_check.processing', 'trust_check.requires_retry', 'trust_check.in_review', 'trust_check.passed', 'trust_check.failed', 'trust_check.declined', 'trust_check.abandoned', 'trust_check.expired', 'trust_check.canceled', 'trust_check.revoked', 'trust_check.reverify_due', 'trust_check.redacted', 'proof.updated', 'affidavit.available', 'affidavit.superseded', 'meeting.scheduled', 'meeting.started', 'meeting.participant_joined', 'meeting.participant_status', 'meeting.participant_left', 'meeting.ended', 'meeting.report_ready', 'meeting.tracking_lost', 'call.state', 'call.score_updated', 'call.code_rotated', 'call.signal', 'identity.email_linked', 'identity.email_revoked', 'identity.merged', 'calendar.connected', 'calendar.reconnect_required', 'calendar.disconnected');--> statement-breakpoint
CREATE TYPE "public"."webhook_delivery_status" AS ENUM('pending', 'delivering', 'delivered', 'failed', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."link_state" AS ENUM('scheduled', 'active', 'paused', 'reserved', 'consumed', 'expired', 'deleted');--> statement-breakpoint
CREATE TYPE "public"."link_type" AS ENUM('trust_check', 'meeting', 'call', 'invite', 'import', 'prescreen');--> statement-breakpoint
CREATE TYPE "public"."outbox_channel" AS ENUM('mail', 'sms');--> statement-breakpoint
CREATE TYPE "public"."auth_method" AS ENUM('email', 'cert');--> statement-breakpoint
CREATE TYPE "public"."idempotency_state" AS ENUM('running', 'done');--> statement-breakpoint
CREATE TYPE "public"."affidavit_state" AS ENUM('none', 'pending', 'signing', 'available', 'failed', 'superseded');--> statement-breakpoint
CREATE TYPE "public"."outcome_validity" AS ENUM('valid', 'reverify_due', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."proof_type" AS ENUM('biometric', 'document', 'phone', 'device', 'nfc_passport');--> statement-breakpoint
CREATE TYPE "public"."trust_check_state" AS ENUM('created', 'opened', 'paired', 'collecting', 'processing', 'requires_retry', 'in_review', 'passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled');--> statement-breakpoint
CREATE TABLE "accounts" (
	"account_id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"logo_url" text,
	"verified" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"roles" text[] NOT NULL,
	"livemode" boolean NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "apps" (
	"app_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"name" text NOT NULL,
	"kind" "app_kind" NOT NULL,
	"status" "app_status" DEFAULT 'active' NOT NULL,
	"livemode" boolean DEFAULT true NOT NULL,
	"redirect_url" text,
	"allowed_origins" text[] NOT NULL,
	"logo_url" text,
	"default_proofs" text[] NOT NULL,
	"tos_url" text,
	"tos_version" text NOT NULL,
	"install_url" text,
	"apple" jsonb,
	"android" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_emails" (
	"identity_id" serial PRIMARY KEY NOT NULL,
	"poly_user_id" text NOT NULL,
	"email_sealed" "bytea" NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"status" "login_email_status" NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"poly_user_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"roles" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "memberships_poly_user_id_account_id_pk" PRIMARY KEY("poly_user_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "poly_users" (
	"poly_user_id" text PRIMARY KEY NOT NULL,
	"identity_group_id" text NOT NULL,
	"kind" "user_kind" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "affidavits" (
	"affidavit_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"poly_user_id" text,
	"account_id" integer NOT NULL,
	"app_id" text NOT NULL,
	"status" "affidavit_state" NOT NULL,
	"content_sealed" "bytea",
	"affidavit_key" text,
	"version" integer DEFAULT 1 NOT NULL,
	"sha256" text,
	"base_sha256" text,
	"json_sha256" text,
	"size_bytes" integer,
	"pades_level" text,
	"seal_kid" text,
	"sealed_at" timestamp (3) with time zone,
	"available_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"serial" text PRIMARY KEY NOT NULL,
	"kid" text NOT NULL,
	"poly_user_id" text NOT NULL,
	"device_id" text,
	"der" "bytea" NOT NULL,
	"not_before" timestamp (3) with time zone NOT NULL,
	"not_after" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"reason" text,
	"invalidity_date" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"device_id" text PRIMARY KEY NOT NULL,
	"poly_user_id" text NOT NULL,
	"app_id" text NOT NULL,
	"platform" "device_platform" NOT NULL,
	"attested_key_id" text NOT NULL,
	"public_key_spki" "bytea" NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"evidence_sealed" "bytea" NOT NULL,
	"verdict" jsonb NOT NULL,
	"signing_kid" text NOT NULL,
	"name" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "events" (
	"event_id" text NOT NULL,
	"stream" text NOT NULL,
	"seq" bigint NOT NULL,
	"account_id" integer NOT NULL,
	"account_seq" bigint NOT NULL,
	"app_id" text,
	"type" "event_type" NOT NULL,
	"livemode" boolean NOT NULL,
	"object_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"previous" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_stream_seq_pk" PRIMARY KEY("stream","seq"),
	CONSTRAINT "events_event_id_unique" UNIQUE("event_id")
);
--> statement-breakpoint
CREATE TABLE "streams" (
	"stream" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"delivery_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"status" integer,
	"error" text,
	"latency_ms" integer NOT NULL,
	"response_start" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"delivery_id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"replay" integer DEFAULT 0 NOT NULL,
	"status" "webhook_delivery_status" NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"endpoint_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"app_id" text,
	"url" text NOT NULL,
	"types" text[] NOT NULL,
	"description" text,
	"status" "endpoint_status" NOT NULL,
	"disabled_reason" text,
	"secret_sealed" "bytea" NOT NULL,
	"previous_secret_sealed" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "links" (
	"link_uuid" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"link_type" "link_type" NOT NULL,
	"title" text,
	"status" "link_state" NOT NULL,
	"single_use" boolean NOT NULL,
	"emailed" boolean NOT NULL,
	"livemode" boolean NOT NULL,
	"use_count" integer DEFAULT 0 NOT NULL,
	"max_uses" integer,
	"max_attempts" integer NOT NULL,
	"required_proofs" text[] NOT NULL,
	"requested_claims" text[] NOT NULL,
	"matching_sealed" "bytea",
	"recipient_sealed" "bytea",
	"policy" jsonb NOT NULL,
	"transaction_data" jsonb,
	"meeting" jsonb,
	"delivery" jsonb,
	"metadata" jsonb NOT NULL,
	"redirect_url" text,
	"reference_id" text,
	"job_id" text,
	"locale" text,
	"created_by" text NOT NULL,
	"reserved_by" text,
	"version" integer DEFAULT 1 NOT NULL,
	"not_before" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "data_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"wrapped" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "data_keys_owner_unique" UNIQUE("owner")
);
--> statement-breakpoint
CREATE TABLE "outbox_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"channel" "outbox_channel" NOT NULL,
	"recipient" text NOT NULL,
	"subject" text,
	"text" text NOT NULL,
	"html" text,
	"idempotency_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "outbox_messages_idempotency_key_unique" UNIQUE("idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "challenges" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"id" "bytea" PRIMARY KEY NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"state" "idempotency_state" NOT NULL,
	"seed" text NOT NULL,
	"status" integer,
	"response_sealed" "bytea",
	"locked_until" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"poly_user_id" text NOT NULL,
	"auth_method" "auth_method" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "spent_tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "evidence" (
	"evidence_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"name" text NOT NULL,
	"sha256" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"content_type" text NOT NULL,
	"object_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "phone_codes" (
	"link_session_id" text NOT NULL,
	"series" integer NOT NULL,
	"number_sealed" "bytea" NOT NULL,
	"number_blind" "bytea" NOT NULL,
	"sends" integer NOT NULL,
	"guesses" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "phone_codes_link_session_id_series_pk" PRIMARY KEY("link_session_id","series")
);
--> statement-breakpoint
CREATE TABLE "proof_challenges" (
	"challenge_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"proof" "proof_type" NOT NULL,
	"challenge" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "proof_submissions" (
	"submission_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"proof" "proof_type" NOT NULL,
	"input_sealed" "bytea",
	"evidence_sealed" "bytea",
	"evidence_hash" text,
	"outcome" text,
	"reason_code" text,
	"verdict" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"judged_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "trust_checks" (
	"link_session_id" text PRIMARY KEY NOT NULL,
	"link_uuid" text NOT NULL,
	"app_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"poly_user_id" text,
	"device_id" text,
	"client" text NOT NULL,
	"locale" text,
	"return_to" text,
	"reference_id" text,
	"status" "trust_check_state" NOT NULL,
	"reason_code" text,
	"outcome_validity" "outcome_validity" DEFAULT 'valid' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"proofs" jsonb NOT NULL,
	"consent" jsonb,
	"claims_sealed" "bytea",
	"matching" jsonb NOT NULL,
	"affidavit_id" text,
	"affidavit_status" "affidavit_state" DEFAULT 'none' NOT NULL,
	"affidavit_sha256" text,
	"affidavit_available_at" timestamp (3) with time zone,
	"redacted_at" timestamp (3) with time zone,
	"livemode" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"paired_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone,
	"decided_at" timestamp (3) with time zone,
	"begun_from" text
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "apps" ADD CONSTRAINT "apps_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_emails" ADD CONSTRAINT "login_emails_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "affidavits" ADD CONSTRAINT "affidavits_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_device_id_devices_device_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("device_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("delivery_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("endpoint_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evidence" ADD CONSTRAINT "evidence_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phone_codes" ADD CONSTRAINT "phone_codes_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proof_challenges" ADD CONSTRAINT "proof_challenges_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proof_submissions" ADD CONSTRAINT "proof_submissions_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "apps_account" ON "apps" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "login_emails_address" ON "login_emails" USING btree ("email_blind");--> statement-breakpoint
CREATE UNIQUE INDEX "affidavits_session" ON "affidavits" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "certificates_user" ON "certificates" USING btree ("poly_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_attested_key" ON "devices" USING btree ("platform","attested_key_id");--> statement-breakpoint
CREATE INDEX "devices_user" ON "devices" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "events_account" ON "events" USING btree ("account_id","account_seq");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("endpoint_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("status","started_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "links_app" ON "links" USING btree ("account_id","app_id","created_at");--> statement-breakpoint
CREATE INDEX "challenges_expiry" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "evidence_session" ON "evidence" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "proof_submissions_session" ON "proof_submissions" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_account" ON "trust_checks" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "trust_checks_link" ON "trust_checks" USING btree ("link_uuid","created_at");--> statement-breakpoint
CREATE INDEX "trust_checks_subject" ON "trust_checks" USING btree ("poly_user_id");