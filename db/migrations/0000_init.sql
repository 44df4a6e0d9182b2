-- Trusted extensions: a role that may create in the database may create them.
CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
-- Types, tables and indexes: written by `npm run migrations` from db/schema.
CREATE TYPE "public"."app_kind" AS ENUM('sdk', 'portal');--> statement-breakpoint
CREATE TYPE "public"."app_status" AS ENUM('active', 'archived');--> statement-breakpoint
CREATE TYPE "public"."login_email_status" AS ENUM('ACTIVE', 'REVOKED');--> statement-breakpoint
CREATE TYPE "public"."user_kind" AS ENUM('cert', 'email');--> statement-breakpoint
CREATE TYPE "public"."calendar_connection_state" AS ENUM('connected', 'reconnect_required', 'disconnected');--> statement-breakpoint
CREATE TYPE "public"."calendar_intent" AS ENUM('organizer', 'routing');--> statement-breakpoint
CREATE TYPE "public"."certificate_kind" AS ENUM('people', 'services');--> statement-breakpoint
CREATE TYPE "public"."revocation_reason" AS ENUM('unspecified', 'compromised', 'superseded');--> statement-breakpoint
CREATE TYPE "public"."device_platform" AS ENUM('ios', 'android');--> statement-breakpoint
CREATE TYPE "public"."email_purpose" AS ENUM('login', 'attach');--> statement-breakpoint
CREATE TYPE "public"."email_request_state" AS ENUM('requested', 'sent', 'consumed', 'superseded', 'expired', 'dropped');--> statement-breakpoint
CREATE TYPE "public"."endpoint_status" AS ENUM('enabled', 'disabled', 'removed');--> statement-breakpoint
CREATE TYPE "public"."event_type" AS ENUM('link.created', 'link.updated', 'link.reserved', 'link.consumed', 'link.expired', 'link.deleted', 'link.delivery_updated', 'trust_check.created', 'trust_check.opened', 'trust_check.paired', 'trust_check.consented', 'trust_check.processing', 'trust_check.requires_retry', 'trust_check.retried', 'trust_check.in_review', 'trust_check.passed', 'trust_check.failed', 'trust_check.declined', 'trust_check.abandoned', 'trust_check.expired', 'trust_check.canceled', 'trust_check.revoked', 'trust_check.reverify_due', 'trust_check.redacted', 'proof.updated', 'affidavit.available', 'affidavit.failed', 'affidavit.superseded', 'meeting.scheduled', 'meeting.started', 'meeting.participant_joined', 'meeting.participant_status', 'meeting.participant_left', 'meeting.ended', 'meeting.report_ready', 'meeting.tracking_lost', 'call.state', 'call.score_updated', 'call.code_rotated', 'call.signal', 'identity.email_linked', 'identity.email_revoked', 'identity.merged', 'identity.recovery_updated', 'calendar.connected', 'calendar.reconnect_required', 'calendar.disconnected');--> statement-breakpoint
CREATE TYPE "public"."webhook_delivery_status" AS ENUM('pending', 'delivering', 'delivered', 'failed', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."log_source" AS ENUM('meeting', 'trust_check');--> statement-breakpoint
CREATE TYPE "public"."attestation_level" AS ENUM('A', 'B', 'C');--> statement-breakpoint
CREATE TYPE "public"."join_session_state" AS ENUM('created', 'claimed', 'verifying', 'ready', 'joined', 'denied', 'expired', 'canceled');--> statement-breakpoint
CREATE TYPE "public"."meeting_platform" AS ENUM('conf-a', 'conf-b', 'sandbox');--> statement-breakpoint
CREATE TYPE "public"."meeting_report_state" AS ENUM('pending', 'available', 'failed');--> statement-breakpoint
CREATE TYPE "public"."meeting_state" AS ENUM('scheduled', 'starting', 'live', 'ended', 'reported', 'start_failed', 'canceled', 'no_show');--> statement-breakpoint
CREATE TYPE "public"."participant_role" AS ENUM('host', 'participant');--> statement-breakpoint
CREATE TYPE "public"."participant_state" AS ENUM('invited', 'waiting', 'joined', 'left', 'removed', 'denied');--> statement-breakpoint
CREATE TYPE "public"."tracking_state" AS ENUM('ok', 'delayed', 'lost');--> statement-breakpoint
CREATE TYPE "public"."verification_state" AS ENUM('unverified', 'pending', 'verified', 'stale', 'failed');--> statement-breakpoint
CREATE TYPE "public"."outbox_channel" AS ENUM('mail', 'sms');--> statement-breakpoint
CREATE TYPE "public"."auth_method" AS ENUM('email', 'cert');--> statement-breakpoint
CREATE TYPE "public"."idempotency_state" AS ENUM('running', 'done');--> statement-breakpoint
CREATE TYPE "public"."sso_kind" AS ENUM('jwt', 'introspection', 'userinfo');--> statement-breakpoint
CREATE TYPE "public"."ticket_severity" AS ENUM('low', 'normal', 'high', 'critical');--> statement-breakpoint
CREATE TYPE "public"."ticket_state" AS ENUM('open', 'closed');--> statement-breakpoint
CREATE TYPE "public"."affidavit_state" AS ENUM('none', 'pending', 'signing', 'available', 'failed', 'superseded');--> statement-breakpoint
CREATE TYPE "public"."outcome_validity" AS ENUM('valid', 'reverify_due', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."proof_type" AS ENUM('biometric', 'document', 'phone', 'device', 'nfc_passport');--> statement-breakpoint
CREATE TABLE "accounts" (
	"account_id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"logo_url" text,
	"verified" boolean DEFAULT false NOT NULL,
	"image_retention_days" integer DEFAULT 7 NOT NULL,
	"face_provider" text,
	"disabled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "api_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"roles" text[] NOT NULL,
	"livemode" boolean NOT NULL,
	"scopes" text[],
	"app_ids" text[],
	"created_by" text,
	"sso_member" text,
	"sso_provider" text,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"replaced_by" text,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "invited_addresses" (
	"account_id" integer NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"address_sealed" "bytea",
	"poly_user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invited_addresses_account_id_email_blind_pk" PRIMARY KEY("account_id","email_blind")
);--> statement-breakpoint
CREATE TABLE "invited_people" (
	"account_id" integer NOT NULL,
	"invited_id" text NOT NULL,
	"poly_user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invited_people_account_id_invited_id_pk" PRIMARY KEY("account_id","invited_id")
);--> statement-breakpoint
CREATE TABLE "login_emails" (
	"identity_id" serial PRIMARY KEY NOT NULL,
	"poly_user_id" text NOT NULL,
	"email_sealed" "bytea" NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"status" "login_email_status" NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"last_login_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "memberships" (
	"poly_user_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"roles" text[] NOT NULL,
	"managed_by" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "memberships_poly_user_id_account_id_pk" PRIMARY KEY("poly_user_id","account_id")
);--> statement-breakpoint
CREATE TABLE "poly_users" (
	"poly_user_id" text PRIMARY KEY NOT NULL,
	"identity_group_id" text NOT NULL,
	"kind" "user_kind" NOT NULL,
	"adopted_by" text,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
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
	"development" boolean,
	"seal_kid" text,
	"sealed_at" timestamp (3) with time zone,
	"available_at" timestamp (3) with time zone,
	"reason_code" text,
	"failed_at" timestamp (3) with time zone,
	"traceparent" text,
	"awaits_log_proof" boolean DEFAULT false NOT NULL,
	"renew_at" timestamp (3) with time zone,
	"renewed_at" timestamp (3) with time zone,
	"recheck_since" timestamp (3) with time zone,
	"renewal_reason" text,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "audit_heads" (
	"account_id" integer PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"checkpoints" bigint DEFAULT 0 NOT NULL,
	"checkpoint_seq" bigint DEFAULT 0 NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "calendar_answers" (
	"flow_id" text PRIMARY KEY NOT NULL,
	"account_id" integer,
	"intent" "calendar_intent" NOT NULL,
	"poly_user_id" text,
	"created_by" text NOT NULL,
	"answer_sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "certificates" (
	"serial" text PRIMARY KEY NOT NULL,
	"kind" "certificate_kind" NOT NULL,
	"issuer_kid" text NOT NULL,
	"kid" text NOT NULL,
	"poly_user_id" text,
	"device_id" text,
	"public_jwk" jsonb NOT NULL,
	"der" "bytea",
	"not_before" timestamp (3) with time zone NOT NULL,
	"not_after" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revocation_reason" "revocation_reason",
	"invalidity_date" timestamp (3) with time zone,
	CONSTRAINT "certificates_of_a_user" CHECK (("certificates"."kind" = 'people') = ("certificates"."poly_user_id" IS NOT NULL)),
	CONSTRAINT "certificates_reason" CHECK (("certificates"."revoked_at" IS NULL) = ("certificates"."revocation_reason" IS NULL))
);--> statement-breakpoint
CREATE TABLE "crls" (
	"issuer_kid" text PRIMARY KEY NOT NULL,
	"number" bigint NOT NULL,
	"der" "bytea",
	"is_stale" boolean NOT NULL,
	"this_update" timestamp (3) with time zone,
	"next_update" timestamp (3) with time zone
);--> statement-breakpoint
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
	"revoked_at" timestamp (3) with time zone,
	"revoked_for" text,
	"attestation_serials" text[],
	"receipt_sealed" "bytea",
	"receipt_at" timestamp (3) with time zone,
	"risk_metric" integer,
	"followed_at" timestamp (3) with time zone,
	"tokens_sealed" "bytea",
	"recall_due" text,
	"recall_status" text,
	"recall_sealed" "bytea",
	"recall_at" timestamp (3) with time zone,
	"reinstall_detected" boolean,
	"device_flagged" boolean,
	"flag_status" text,
	"ends_checks" boolean DEFAULT false NOT NULL
);--> statement-breakpoint
CREATE TABLE "email_requests" (
	"request_id" text PRIMARY KEY NOT NULL,
	"purpose" "email_purpose" NOT NULL,
	"poly_user_id" text,
	"address_blind" "bytea" NOT NULL,
	"address_sealed" "bytea" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"browser_hash" "bytea" NOT NULL,
	"network_blind" "bytea",
	"app_id" text,
	"return_to" text,
	"locale" text,
	"state" "email_request_state" NOT NULL,
	"code_tries" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"admitted_at" timestamp (3) with time zone,
	"mailed_at" timestamp (3) with time zone,
	"consumed_at" timestamp (3) with time zone
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "streams" (
	"stream" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"delivery_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"status" integer,
	"error" text,
	"latency_ms" integer NOT NULL,
	"response_start" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
);--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"delivery_id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text NOT NULL,
	"replay" integer DEFAULT 0 NOT NULL,
	"sample" jsonb,
	"status" "webhook_delivery_status" NOT NULL,
	"traceparent" text,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"endpoint_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"app_id" text,
	"livemode" boolean DEFAULT true NOT NULL,
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
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "evidence_images" (
	"submission_id" text NOT NULL,
	"link_session_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"image_sealed" "bytea",
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "evidence_images_submission_id_sha256_pk" PRIMARY KEY("submission_id","sha256")
);--> statement-breakpoint
CREATE TABLE "evidence_uploads" (
	"object_key" text PRIMARY KEY NOT NULL,
	"evidence_id" text NOT NULL,
	"upload_id" text NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"swept_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "face_marks" (
	"mark" "bytea" PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "photos" (
	"object_path" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"object_key" text NOT NULL,
	"content_type" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "links" (
	"link_uuid" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"link_type" text NOT NULL,
	"title" text,
	"status" text NOT NULL,
	"single_use" boolean NOT NULL,
	"emailed" boolean NOT NULL,
	"livemode" boolean NOT NULL,
	"sandbox_subject" text,
	"use_count" integer DEFAULT 0 NOT NULL,
	"max_uses" integer,
	"max_attempts" integer NOT NULL,
	"required_proofs" text[] NOT NULL,
	"requested_claims" text[] NOT NULL,
	"matching_sealed" "bytea",
	"recipient_sealed" "bytea",
	"recipient_blind" "bytea",
	"mail_admitted_at" timestamp (3) with time zone,
	"policy" jsonb NOT NULL,
	"transaction_data_sealed" "bytea",
	"meeting" jsonb,
	"delivery" jsonb,
	"metadata_sealed" "bytea",
	"metadata_digests" "bytea"[] DEFAULT '{}' NOT NULL,
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
	"updated_at" timestamp (3) with time zone NOT NULL,
	"ends_sessions" boolean DEFAULT false NOT NULL,
	"awaits_invitation" boolean DEFAULT false NOT NULL,
	CONSTRAINT "links_status_known" CHECK ("links"."status" IN ('scheduled', 'active', 'paused', 'reserved', 'consumed', 'expired', 'deleted')),
	CONSTRAINT "links_type_known" CHECK ("links"."link_type" IN ('trust_check', 'meeting', 'call', 'invite', 'import', 'prescreen'))
);--> statement-breakpoint
CREATE TABLE "mail_reports" (
	"event_id" text PRIMARY KEY NOT NULL,
	"link_uuid" text NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"awaits_signal" boolean DEFAULT true NOT NULL
);--> statement-breakpoint
CREATE TABLE "opened_imports" (
	"address_blind" "bytea" NOT NULL,
	"platform" text NOT NULL,
	"link_uuid" text NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "opened_imports_address_blind_platform_link_uuid_pk" PRIMARY KEY("address_blind","platform","link_uuid")
);--> statement-breakpoint
CREATE TABLE "log_entries" (
	"account_id" integer NOT NULL,
	"source" "log_source" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"id" text NOT NULL,
	"app_id" text,
	"link_uuid" text NOT NULL,
	"title" text,
	"detail" text
);--> statement-breakpoint
CREATE TABLE "log_totals" (
	"account_id" integer NOT NULL,
	"source" "log_source" NOT NULL,
	"app_id" text NOT NULL,
	"slot" bigint GENERATED ALWAYS AS IDENTITY (sequence name "log_totals_slot_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"entries" bigint NOT NULL,
	CONSTRAINT "log_totals_account_id_source_app_id_slot_pk" PRIMARY KEY("account_id","source","app_id","slot")
);--> statement-breakpoint
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
	"nonce_hash" "bytea",
	"link_session_id" text,
	"meeting_key" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone
);--> statement-breakpoint
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
	"created_by" text,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone,
	"left_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "webhook_inbox" (
	"event_id" text PRIMARY KEY NOT NULL,
	"platform" "meeting_platform" NOT NULL,
	"meeting_key" text,
	"body_sealed" "bytea",
	"received_at" timestamp (3) with time zone NOT NULL,
	"awaits_signal" boolean DEFAULT true NOT NULL,
	"taken_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "member_mails" (
	"mail_id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"poly_user_id" text NOT NULL,
	"email_blind" "bytea" NOT NULL,
	"address_sealed" "bytea",
	"kind" text DEFAULT 'invitation' NOT NULL,
	"locale" text,
	"return_to" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"awaits_start" boolean DEFAULT true NOT NULL,
	"admitted_at" timestamp (3) with time zone,
	"mailed_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "data_keys" (
	"kid" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"wrapped" "bytea" NOT NULL,
	"wrapped_by" text DEFAULT 'k1' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "data_keys_owner_unique" UNIQUE("owner")
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "phone_codes" (
	"link_session_id" text NOT NULL,
	"series" integer NOT NULL,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"number_sealed" "bytea" NOT NULL,
	"number_blind" "bytea" NOT NULL,
	"sends" integer NOT NULL,
	"send_id" text,
	"guesses" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"delivery_send" integer,
	"delivery" text,
	"delivery_reason" text,
	CONSTRAINT "phone_codes_link_session_id_series_pk" PRIMARY KEY("link_session_id","series")
);--> statement-breakpoint
CREATE TABLE "sms_routes" (
	"route" text NOT NULL,
	"begins_at" timestamp (3) with time zone NOT NULL,
	"sent" integer DEFAULT 0 NOT NULL,
	"verified" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "sms_routes_route_begins_at_pk" PRIMARY KEY("route","begins_at")
);--> statement-breakpoint
CREATE TABLE "sms_stops" (
	"route" text PRIMARY KEY NOT NULL,
	"stopped_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"sent" integer NOT NULL,
	"verified" integer NOT NULL
);--> statement-breakpoint
CREATE TABLE "platform_accounts" (
	"platform" text NOT NULL,
	"external_id" text NOT NULL,
	"account_id" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"connected_by" text,
	"connected_at" timestamp (3) with time zone,
	"refresh_token_sealed" "bytea",
	CONSTRAINT "platform_accounts_platform_external_id_pk" PRIMARY KEY("platform","external_id")
);--> statement-breakpoint
CREATE TABLE "platform_flows" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"flow_id" text NOT NULL,
	"platform" text NOT NULL,
	"account_id" integer NOT NULL,
	"begun_by" text NOT NULL,
	"external_id" text,
	"secrets_sealed" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "prescreen_days" (
	"account_id" integer NOT NULL,
	"livemode" boolean NOT NULL,
	"job_id" text NOT NULL,
	"day" date NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "prescreen_days_account_id_livemode_job_id_day_pk" PRIMARY KEY("account_id","livemode","job_id","day")
);--> statement-breakpoint
CREATE TABLE "prescreen_rollups" (
	"account_id" integer PRIMARY KEY NOT NULL,
	"account_seq" bigint NOT NULL,
	"refreshed_at" timestamp (3) with time zone
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "challenges" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"id" "bytea" PRIMARY KEY NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"state" "idempotency_state" NOT NULL,
	"seed" text NOT NULL,
	"response_sealed" "bytea",
	"link_session_id" text,
	"is_redacted" boolean DEFAULT false NOT NULL,
	"locked_until" timestamp (3) with time zone NOT NULL,
	"run" text,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "invite_tokens" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"jwt_sealed" "bytea" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);--> statement-breakpoint
CREATE TABLE "sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"poly_user_id" text NOT NULL,
	"auth_method" "auth_method" NOT NULL,
	"identity_id" integer,
	"device_id" text,
	"device_label_sealed" "bytea",
	"account_id" integer,
	"confined_to" integer,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "spent_tokens" (
	"jti" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "sso_providers" (
	"provider" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"kind" "sso_kind" NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret_sealed" "bytea",
	"audience" text,
	"client_ids" text[] DEFAULT '{}' NOT NULL,
	"token_type" text DEFAULT 'at+jwt' NOT NULL,
	"email_domains" text[] DEFAULT '{}' NOT NULL,
	"group_claim" text NOT NULL,
	"group_roles" jsonb NOT NULL,
	"role_ceiling" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "sso_subjects" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"issuer" text NOT NULL,
	"poly_user_id" text NOT NULL,
	"identity_id" integer,
	"email_domain" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_login_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "stolen_secrets" (
	"secret_id" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"revoked_at" timestamp (3) with time zone NOT NULL,
	"invalidity_date" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
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
);--> statement-breakpoint
CREATE TABLE "timestamps" (
	"serial" text PRIMARY KEY NOT NULL,
	"tsa_serial" text NOT NULL,
	"imprint" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);--> statement-breakpoint
CREATE TABLE "transparency_checkpoints" (
	"signed_by" text NOT NULL,
	"size" bigint NOT NULL,
	"number" integer NOT NULL,
	"root" "bytea" NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transparency_checkpoints_signed_by_size_pk" PRIMARY KEY("signed_by","size")
);--> statement-breakpoint
CREATE TABLE "transparency_cosignatures" (
	"signed_by" text NOT NULL,
	"size" bigint NOT NULL,
	"witness" text NOT NULL,
	"line" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transparency_cosignatures_signed_by_size_witness_pk" PRIMARY KEY("signed_by","size","witness"),
	CONSTRAINT "transparency_cosignatures_bounded" CHECK (length("transparency_cosignatures"."line") <= 500)
);--> statement-breakpoint
CREATE TABLE "transparency_entries" (
	"index" bigint PRIMARY KEY NOT NULL,
	"affidavit_id" text NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transparency_entries_affidavit" UNIQUE("affidavit_id"),
	CONSTRAINT "transparency_entries_bounded" CHECK (length("transparency_entries"."entry") <= 1000)
);--> statement-breakpoint
CREATE TABLE "transparency_nodes" (
	"level" integer NOT NULL,
	"index" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "transparency_nodes_level_index_pk" PRIMARY KEY("level","index")
);--> statement-breakpoint
CREATE TABLE "proof_challenges" (
	"challenge_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"proof" "proof_type" NOT NULL,
	"challenge" "bytea" NOT NULL,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"provider" text,
	"provider_session" text
);--> statement-breakpoint
CREATE TABLE "proof_submissions" (
	"submission_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"proof" "proof_type" NOT NULL,
	"input_sealed" "bytea",
	"claims_sealed" "bytea",
	"evidence_sealed" "bytea",
	"evidence_hash" text,
	"outcome" text,
	"reason_code" text,
	"verdict" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"judged_at" timestamp (3) with time zone
);--> statement-breakpoint
CREATE TABLE "reviews" (
	"review_id" text PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"decision" text NOT NULL,
	"reviewer" text NOT NULL,
	"note_sealed" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone
);--> statement-breakpoint
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
	"status" text NOT NULL,
	"reason_code" text,
	"outcome_validity" "outcome_validity" DEFAULT 'valid' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"log" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"proofs" jsonb NOT NULL,
	"asked" jsonb NOT NULL,
	"matching_sealed" "bytea",
	"consent" jsonb,
	"claims_sealed" "bytea",
	"names_blind" text[] DEFAULT '{}' NOT NULL,
	"cancel_reason_sealed" "bytea",
	"matching" jsonb NOT NULL,
	"decision" jsonb,
	"document_blind" "bytea",
	"affidavit_id" text,
	"affidavit_status" "affidavit_state" DEFAULT 'none' NOT NULL,
	"affidavit_reason" text,
	"affidavit_sha256" text,
	"affidavit_available_at" timestamp (3) with time zone,
	"redacted_at" timestamp (3) with time zone,
	"images_removed_at" timestamp (3) with time zone,
	"livemode" boolean NOT NULL,
	"sandbox_subject" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"paired_at" timestamp (3) with time zone,
	"submitted_at" timestamp (3) with time zone,
	"decided_at" timestamp (3) with time zone,
	"resume_hash" "bytea",
	"begun_from" text,
	"holds_use" boolean DEFAULT false NOT NULL,
	"awaits_start" boolean DEFAULT false NOT NULL,
	CONSTRAINT "trust_checks_status_known" CHECK ("trust_checks"."status" IN ('created', 'opened', 'paired', 'collecting', 'processing', 'requires_retry', 'in_review', 'passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'))
);--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_sso_member_poly_users_poly_user_id_fk" FOREIGN KEY ("sso_member") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "apps" ADD CONSTRAINT "apps_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_addresses" ADD CONSTRAINT "invited_addresses_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_addresses" ADD CONSTRAINT "invited_addresses_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_invited_id_poly_users_poly_user_id_fk" FOREIGN KEY ("invited_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invited_people" ADD CONSTRAINT "invited_people_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_emails" ADD CONSTRAINT "login_emails_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "affidavits" ADD CONSTRAINT "affidavits_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_heads" ADD CONSTRAINT "audit_heads_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_rows" ADD CONSTRAINT "audit_rows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_answers" ADD CONSTRAINT "calendar_answers_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_answers" ADD CONSTRAINT "calendar_answers_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD CONSTRAINT "calendar_connections_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD CONSTRAINT "calendar_connections_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_flows" ADD CONSTRAINT "calendar_flows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_device_id_devices_device_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("device_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_requests" ADD CONSTRAINT "email_requests_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_webhook_deliveries_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."webhook_deliveries"("delivery_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("endpoint_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evidence" ADD CONSTRAINT "evidence_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evidence_images" ADD CONSTRAINT "evidence_images_submission_id_proof_submissions_submission_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."proof_submissions"("submission_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evidence_images" ADD CONSTRAINT "evidence_images_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "face_marks" ADD CONSTRAINT "face_marks_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "photos" ADD CONSTRAINT "photos_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "opened_imports" ADD CONSTRAINT "opened_imports_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_totals" ADD CONSTRAINT "log_totals_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "join_sessions" ADD CONSTRAINT "join_sessions_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "join_sessions" ADD CONSTRAINT "join_sessions_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_participants" ADD CONSTRAINT "meeting_participants_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_reports" ADD CONSTRAINT "meeting_reports_meeting_key_meetings_meeting_key_fk" FOREIGN KEY ("meeting_key") REFERENCES "public"."meetings"("meeting_key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_mails" ADD CONSTRAINT "member_mails_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "member_mails" ADD CONSTRAINT "member_mails_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phone_codes" ADD CONSTRAINT "phone_codes_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_accounts" ADD CONSTRAINT "platform_accounts_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "platform_flows" ADD CONSTRAINT "platform_flows_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prescreen_days" ADD CONSTRAINT "prescreen_days_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prescreen_rollups" ADD CONSTRAINT "prescreen_rollups_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recoveries" ADD CONSTRAINT "recoveries_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_identity_id_login_emails_identity_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."login_emails"("identity_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_device_id_devices_device_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("device_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_providers" ADD CONSTRAINT "sso_providers_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_poly_user_id_poly_users_poly_user_id_fk" FOREIGN KEY ("poly_user_id") REFERENCES "public"."poly_users"("poly_user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sso_subjects" ADD CONSTRAINT "sso_subjects_identity_id_login_emails_identity_id_fk" FOREIGN KEY ("identity_id") REFERENCES "public"."login_emails"("identity_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proof_challenges" ADD CONSTRAINT "proof_challenges_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "proof_submissions" ADD CONSTRAINT "proof_submissions_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_link_uuid_links_link_uuid_fk" FOREIGN KEY ("link_uuid") REFERENCES "public"."links"("link_uuid") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_app_id_apps_app_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."apps"("app_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD CONSTRAINT "trust_checks_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_sso_member" ON "api_keys" USING btree ("sso_member") WHERE sso_member IS NOT NULL;--> statement-breakpoint
CREATE INDEX "apps_account" ON "apps" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "invited_addresses_address" ON "invited_addresses" USING btree ("email_blind");--> statement-breakpoint
CREATE INDEX "invited_people_invited" ON "invited_people" USING btree ("invited_id");--> statement-breakpoint
CREATE UNIQUE INDEX "login_emails_address" ON "login_emails" USING btree ("email_blind");--> statement-breakpoint
CREATE INDEX "login_emails_user" ON "login_emails" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "memberships_account" ON "memberships" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "affidavits_session" ON "affidavits" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "affidavits_pending" ON "affidavits" USING btree ("created_at") WHERE "affidavits"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "affidavits_unproven" ON "affidavits" USING btree ("available_at") WHERE awaits_log_proof;--> statement-breakpoint
CREATE INDEX "affidavits_renewable" ON "affidavits" USING btree ("renew_at","affidavit_id") WHERE renew_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "affidavits_failed" ON "affidavits" USING btree ("failed_at") WHERE "affidavits"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "audit_heads_moved" ON "audit_heads" USING btree ("account_id") WHERE seq <> checkpoint_seq;--> statement-breakpoint
CREATE INDEX "calendar_answers_age" ON "calendar_answers" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_connections_subject" ON "calendar_connections" USING btree ("subject_blind") WHERE status <> 'disconnected';--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_connections_flow" ON "calendar_connections" USING btree ("flow_id");--> statement-breakpoint
CREATE INDEX "calendar_connections_account" ON "calendar_connections" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "calendar_connections_awaiting" ON "calendar_connections" USING btree ("created_at") WHERE awaits_signal;--> statement-breakpoint
CREATE INDEX "calendar_flows_expiry" ON "calendar_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "certificates_user" ON "certificates" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "certificates_device" ON "certificates" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "certificates_kid" ON "certificates" USING btree ("kid");--> statement-breakpoint
CREATE INDEX "certificates_revoked" ON "certificates" USING btree ("issuer_kid","revoked_at") WHERE "certificates"."revoked_at" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_attested_key" ON "devices" USING btree ("platform","attested_key_id");--> statement-breakpoint
CREATE INDEX "devices_user" ON "devices" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "devices_app" ON "devices" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "devices_serials" ON "devices" USING gin ("attestation_serials");--> statement-breakpoint
CREATE INDEX "devices_unfollowed" ON "devices" USING btree ("app_id","created_at") WHERE platform = 'ios' AND followed_at IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "devices_unread_serials" ON "devices" USING btree ("device_id") WHERE platform = 'android' AND attestation_serials IS NULL AND revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "devices_recall_due" ON "devices" USING btree ("created_at") WHERE recall_due IS NOT NULL;--> statement-breakpoint
CREATE INDEX "devices_ends_checks" ON "devices" USING btree ("device_id") WHERE ends_checks;--> statement-breakpoint
CREATE UNIQUE INDEX "email_requests_token" ON "email_requests" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "email_requests_address" ON "email_requests" USING btree ("address_blind","created_at");--> statement-breakpoint
CREATE INDEX "email_requests_asker" ON "email_requests" USING btree ("poly_user_id","created_at") WHERE poly_user_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "email_requests_age" ON "email_requests" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "email_requests_untaken" ON "email_requests" USING btree ("created_at") WHERE taken_at IS NULL;--> statement-breakpoint
CREATE INDEX "events_account" ON "events" USING btree ("account_id","account_seq");--> statement-breakpoint
CREATE INDEX "events_in_test" ON "events" USING btree ("account_id","account_seq") WHERE NOT "events"."livemode";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("endpoint_id","created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("status","started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_replay" ON "webhook_deliveries" USING btree ("endpoint_id","event_id","replay");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_account" ON "webhook_endpoints" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "evidence_session" ON "evidence" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "evidence_images_session" ON "evidence_images" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "evidence_uploads_begun" ON "evidence_uploads" USING btree ("begun_at");--> statement-breakpoint
CREATE INDEX "face_marks_session" ON "face_marks" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "face_marks_expiry" ON "face_marks" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "photos_session" ON "photos" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "photos_expiry" ON "photos" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "links_app" ON "links" USING btree ("account_id","app_id","created_at","link_uuid");--> statement-breakpoint
CREATE INDEX "links_type" ON "links" USING btree ("account_id","link_type","created_at","link_uuid");--> statement-breakpoint
CREATE INDEX "links_status" ON "links" USING btree ("account_id","status","created_at","link_uuid");--> statement-breakpoint
CREATE INDEX "links_reference" ON "links" USING btree ("account_id","reference_id","created_at") WHERE reference_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "links_metadata" ON "links" USING gin ("account_id","metadata_digests");--> statement-breakpoint
CREATE INDEX "links_in_test" ON "links" USING btree ("account_id","created_at","link_uuid") WHERE NOT "links"."livemode";--> statement-breakpoint
CREATE INDEX "links_search" ON "links" USING gin (title COLLATE "pg_c_utf8" gin_trgm_ops,reference_id COLLATE "pg_c_utf8" gin_trgm_ops,link_uuid COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "links_ending" ON "links" USING btree ("expires_at") WHERE status IN ('scheduled', 'active', 'paused') AND expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "links_awaiting_invitation" ON "links" USING btree ("created_at") WHERE awaits_invitation;--> statement-breakpoint
CREATE INDEX "links_recipient" ON "links" USING btree ("recipient_blind","mail_admitted_at") WHERE mail_admitted_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX "links_ends_sessions" ON "links" USING btree ("link_uuid") WHERE ends_sessions;--> statement-breakpoint
CREATE INDEX "mail_reports_received" ON "mail_reports" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "mail_reports_awaiting" ON "mail_reports" USING btree ("received_at") WHERE awaits_signal;--> statement-breakpoint
CREATE INDEX "opened_imports_expiry" ON "opened_imports" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "log_entries_stream" ON "log_entries" USING btree ("account_id","source","at","id","app_id","link_uuid","title","detail");--> statement-breakpoint
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
CREATE INDEX "meetings_in_test" ON "meetings" USING btree ("account_id","occurred_at","meeting_key") WHERE NOT "meetings"."livemode";--> statement-breakpoint
CREATE INDEX "meetings_names" ON "meetings" USING gin ("account_id","names_blind");--> statement-breakpoint
CREATE INDEX "meetings_awaiting_start" ON "meetings" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
CREATE INDEX "webhook_inbox_received" ON "webhook_inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "webhook_inbox_awaiting" ON "webhook_inbox" USING btree ("received_at") WHERE awaits_signal;--> statement-breakpoint
CREATE INDEX "member_mails_account" ON "member_mails" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "member_mails_address" ON "member_mails" USING btree ("email_blind","created_at");--> statement-breakpoint
CREATE INDEX "member_mails_age" ON "member_mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "member_mails_awaiting" ON "member_mails" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
CREATE INDEX "sms_routes_age" ON "sms_routes" USING btree ("begins_at");--> statement-breakpoint
CREATE INDEX "platform_flows_expiry" ON "platform_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "recoveries_live" ON "recoveries" USING btree ("poly_user_id") WHERE status IN ('open', 'approved');--> statement-breakpoint
CREATE INDEX "recoveries_member" ON "recoveries" USING btree ("account_id","poly_user_id","created_at");--> statement-breakpoint
CREATE INDEX "recoveries_ending" ON "recoveries" USING btree ("expires_at") WHERE status IN ('open', 'approved');--> statement-breakpoint
CREATE INDEX "challenges_expiry" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_session" ON "idempotency_keys" USING btree ("link_session_id") WHERE link_session_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "invite_tokens_expiry" ON "invite_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("poly_user_id","expires_at") WHERE revoked_at IS NULL;--> statement-breakpoint
CREATE INDEX "sessions_identity" ON "sessions" USING btree ("identity_id","created_at") WHERE identity_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_device" ON "sessions" USING btree ("device_id") WHERE device_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "spent_tokens_expiry" ON "spent_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sso_providers_account" ON "sso_providers" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sso_subjects_identity" ON "sso_subjects" USING btree ("account_id","issuer","identity_id");--> statement-breakpoint
CREATE INDEX "sso_subjects_user" ON "sso_subjects" USING btree ("poly_user_id");--> statement-breakpoint
CREATE INDEX "tickets_account" ON "tickets" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "tickets_link" ON "tickets" USING btree ("link_uuid");--> statement-breakpoint
CREATE UNIQUE INDEX "proof_challenges_provider_session" ON "proof_challenges" USING btree ("provider","provider_session") WHERE provider_session IS NOT NULL;--> statement-breakpoint
CREATE INDEX "proof_challenges_session" ON "proof_challenges" USING btree ("link_session_id","proof");--> statement-breakpoint
CREATE INDEX "proof_challenges_expiry" ON "proof_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "proof_submissions_session" ON "proof_submissions" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "reviews_session" ON "reviews" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_account" ON "trust_checks" USING btree ("account_id","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_status" ON "trust_checks" USING btree ("account_id","status","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_type" ON "trust_checks" USING btree ("account_id",(asked->>'link_type'),"created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_reference" ON "trust_checks" USING btree ("account_id","reference_id","created_at") WHERE reference_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX "trust_checks_in_test" ON "trust_checks" USING btree ("account_id","created_at","link_session_id") WHERE NOT "trust_checks"."livemode";--> statement-breakpoint
CREATE INDEX "trust_checks_app" ON "trust_checks" USING btree ("account_id","app_id","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_link" ON "trust_checks" USING btree ("link_uuid","created_at");--> statement-breakpoint
CREATE INDEX "trust_checks_subject" ON "trust_checks" USING btree ("poly_user_id","account_id","created_at","link_session_id");--> statement-breakpoint
CREATE INDEX "trust_checks_names" ON "trust_checks" USING gin ("account_id","names_blind");--> statement-breakpoint
CREATE INDEX "trust_checks_document" ON "trust_checks" USING btree ("account_id","document_blind") WHERE document_blind IS NOT NULL;--> statement-breakpoint
CREATE INDEX "trust_checks_awaiting_start" ON "trust_checks" USING btree ("created_at") WHERE awaits_start;--> statement-breakpoint
CREATE INDEX "trust_checks_images" ON "trust_checks" USING btree ("account_id","decided_at","link_session_id") WHERE decided_at IS NOT NULL AND images_removed_at IS NULL;--> statement-breakpoint
CREATE INDEX "trust_checks_open" ON "trust_checks" USING btree ("link_uuid") WHERE status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled');--> statement-breakpoint
CREATE INDEX "trust_checks_device" ON "trust_checks" USING btree ("device_id","created_at");--> statement-breakpoint
-- What db/schema cannot say: functions, triggers, row policies and the views behind them.
CREATE FUNCTION "audit_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of the audit log are added only';
END $$;--> statement-breakpoint
CREATE TRIGGER "audit_rows_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_rows" FOR EACH STATEMENT EXECUTE FUNCTION "audit_refuse"();--> statement-breakpoint
-- In small letters by a collation of PostgreSQL's own, as a search is. Cut, because an index entry
-- has a greatest length.
CREATE FUNCTION "log_text"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT left(lower($1 COLLATE "pg_c_utf8"), 256)
$$;--> statement-breakpoint
-- The processes may not write the tables of the log: its triggers act as the owner. A fixed search
-- path keeps the objects of other roles out of them.
CREATE FUNCTION "log_entries_count"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
	more record;
	free bigint;
BEGIN
	FOR more IN
		SELECT "account_id", "source", coalesce("app_id", '') AS "app_id",
			CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS "entries"
		FROM changed GROUP BY 1, 2, 3
	LOOP
		SELECT t."slot" INTO free FROM "log_totals" t
		WHERE (t."account_id", t."source", t."app_id") = (more."account_id", more."source", more."app_id")
		LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
		IF FOUND THEN
			UPDATE "log_totals" t SET "entries" = t."entries" + more."entries"
			WHERE (t."account_id", t."source", t."app_id", t."slot")
				= (more."account_id", more."source", more."app_id", free);
		ELSE
			INSERT INTO "log_totals" ("account_id", "source", "app_id", "entries")
			VALUES (more."account_id", more."source", more."app_id", more."entries");
		END IF;
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "log_entries_more" AFTER INSERT ON "log_entries" REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION "log_entries_count"();--> statement-breakpoint
CREATE TRIGGER "log_entries_less" AFTER DELETE ON "log_entries" REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION "log_entries_count"();--> statement-breakpoint
CREATE FUNCTION "log_none"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	DELETE FROM "log_entries" WHERE "source" = TG_ARGV[0]::"log_source";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_meetings_added"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	INSERT INTO "log_entries" SELECT "account_id", 'meeting', "occurred_at", "meeting_key", NULL, "link_uuid",
		"log_text"("topic"), "log_text"("organization")
	FROM added;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_meetings_changed"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	DELETE FROM "log_entries" WHERE ("account_id", "source", "at", "id")
		= (OLD."account_id", 'meeting', OLD."occurred_at", OLD."meeting_key");
	IF TG_OP = 'UPDATE' THEN
		INSERT INTO "log_entries" VALUES (NEW."account_id", 'meeting', NEW."occurred_at", NEW."meeting_key", NULL, NEW."link_uuid",
		"log_text"(NEW."topic"), "log_text"(NEW."organization"));
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "log_meetings_added" AFTER INSERT ON "meetings" REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION "log_meetings_added"();--> statement-breakpoint
CREATE TRIGGER "log_meetings_changed" AFTER UPDATE OF "meeting_key", "account_id", "link_uuid", "occurred_at", "topic", "organization"
ON "meetings" FOR EACH ROW
WHEN ((OLD."meeting_key", OLD."account_id", OLD."link_uuid", OLD."occurred_at", OLD."topic", OLD."organization") IS DISTINCT FROM
	(NEW."meeting_key", NEW."account_id", NEW."link_uuid", NEW."occurred_at", NEW."topic", NEW."organization"))
EXECUTE FUNCTION "log_meetings_changed"();--> statement-breakpoint
CREATE TRIGGER "log_meetings_gone" AFTER DELETE ON "meetings" FOR EACH ROW
EXECUTE FUNCTION "log_meetings_changed"();--> statement-breakpoint
CREATE TRIGGER "log_meetings_none" AFTER TRUNCATE ON "meetings" FOR EACH STATEMENT
EXECUTE FUNCTION "log_none"('meeting');--> statement-breakpoint
CREATE FUNCTION "log_trust_checks_added"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	INSERT INTO "log_entries" SELECT "account_id", 'trust_check', "created_at", "link_session_id", "app_id", "link_uuid",
		"log_text"("asked"->>'title'), "log_text"("reference_id")
	FROM added;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_trust_checks_changed"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	DELETE FROM "log_entries" WHERE ("account_id", "source", "at", "id")
		= (OLD."account_id", 'trust_check', OLD."created_at", OLD."link_session_id");
	IF TG_OP = 'UPDATE' THEN
		INSERT INTO "log_entries" VALUES (NEW."account_id", 'trust_check', NEW."created_at", NEW."link_session_id", NEW."app_id", NEW."link_uuid",
		"log_text"(NEW."asked"->>'title'), "log_text"(NEW."reference_id"));
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "log_trust_checks_added" AFTER INSERT ON "trust_checks" REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION "log_trust_checks_added"();--> statement-breakpoint
CREATE TRIGGER "log_trust_checks_changed" AFTER UPDATE OF "link_session_id", "account_id", "app_id", "link_uuid", "created_at", "asked", "reference_id"
ON "trust_checks" FOR EACH ROW
WHEN ((OLD."link_session_id", OLD."account_id", OLD."app_id", OLD."link_uuid", OLD."created_at", OLD."asked", OLD."reference_id") IS DISTINCT FROM
	(NEW."link_session_id", NEW."account_id", NEW."app_id", NEW."link_uuid", NEW."created_at", NEW."asked", NEW."reference_id"))
EXECUTE FUNCTION "log_trust_checks_changed"();--> statement-breakpoint
CREATE TRIGGER "log_trust_checks_gone" AFTER DELETE ON "trust_checks" FOR EACH ROW
EXECUTE FUNCTION "log_trust_checks_changed"();--> statement-breakpoint
CREATE TRIGGER "log_trust_checks_none" AFTER TRUNCATE ON "trust_checks" FOR EACH STATEMENT
EXECUTE FUNCTION "log_none"('trust_check');--> statement-breakpoint
CREATE FUNCTION "transparency_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of the public log are added only';
END $$;--> statement-breakpoint
CREATE FUNCTION "transparency_dense"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW."index" <> (SELECT coalesce(max("index") + 1, 0) FROM "transparency_entries") THEN
		RAISE EXCEPTION 'rows of the public log leave no gap';
	END IF;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "transparency_entries_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "transparency_entries" FOR EACH STATEMENT EXECUTE FUNCTION "transparency_refuse"();--> statement-breakpoint
CREATE TRIGGER "transparency_entries_dense" BEFORE INSERT ON "transparency_entries" FOR EACH ROW EXECUTE FUNCTION "transparency_dense"();--> statement-breakpoint
CREATE TRIGGER "transparency_nodes_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "transparency_nodes" FOR EACH STATEMENT EXECUTE FUNCTION "transparency_refuse"();--> statement-breakpoint
CREATE TRIGGER "transparency_checkpoints_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "transparency_checkpoints" FOR EACH STATEMENT EXECUTE FUNCTION "transparency_refuse"();--> statement-breakpoint
CREATE TRIGGER "transparency_cosignatures_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "transparency_cosignatures" FOR EACH STATEMENT EXECUTE FUNCTION "transparency_refuse"();--> statement-breakpoint
CREATE FUNCTION "timestamps_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of time stamps are added only';
END $$;--> statement-breakpoint
CREATE TRIGGER "timestamps_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "timestamps" FOR EACH STATEMENT EXECUTE FUNCTION "timestamps_refuse"();--> statement-breakpoint
-- Tells the processes of the API, which keep a session for a while, that it may have ended.
CREATE FUNCTION "credentials_ended"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('credentials_ended', TG_ARGV[0] || ' ' || (to_jsonb(OLD) ->> TG_ARGV[1]));
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "sessions_revoked" AFTER UPDATE OF "revoked_at" ON "sessions" FOR EACH ROW
WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL)
EXECUTE FUNCTION "credentials_ended"('session', 'sid');--> statement-breakpoint
CREATE TRIGGER "memberships_lowered" AFTER UPDATE OF "roles", "managed_by" ON "memberships" FOR EACH ROW
WHEN (OLD."roles" IS DISTINCT FROM NEW."roles" OR OLD."managed_by" IS DISTINCT FROM NEW."managed_by")
EXECUTE FUNCTION "credentials_ended"('person', 'poly_user_id');--> statement-breakpoint
CREATE TRIGGER "memberships_ended" AFTER DELETE ON "memberships" FOR EACH ROW
EXECUTE FUNCTION "credentials_ended"('person', 'poly_user_id');--> statement-breakpoint
CREATE TRIGGER "devices_revoked" AFTER UPDATE OF "revoked_at" ON "devices" FOR EACH ROW
WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL)
EXECUTE FUNCTION "credentials_ended"('person', 'poly_user_id');--> statement-breakpoint
CREATE TRIGGER "accounts_disabled" AFTER UPDATE OF "disabled_at" ON "accounts" FOR EACH ROW
WHEN (OLD."disabled_at" IS NULL AND NEW."disabled_at" IS NOT NULL)
EXECUTE FUNCTION "credentials_ended"('account', 'account_id');--> statement-breakpoint
CREATE TRIGGER "sso_providers_disabled" AFTER UPDATE OF "enabled" ON "sso_providers" FOR EACH ROW
WHEN (OLD."enabled" AND NOT NEW."enabled")
EXECUTE FUNCTION "credentials_ended"('account', 'account_id');--> statement-breakpoint
CREATE TRIGGER "sso_providers_removed" AFTER DELETE ON "sso_providers" FOR EACH ROW
EXECUTE FUNCTION "credentials_ended"('account', 'account_id');--> statement-breakpoint
CREATE TRIGGER "api_keys_revoked" AFTER UPDATE OF "revoked_at", "roles", "expires_at" ON "api_keys" FOR EACH ROW
WHEN (OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" OR OLD."roles" IS DISTINCT FROM NEW."roles"
  OR OLD."expires_at" IS DISTINCT FROM NEW."expires_at")
EXECUTE FUNCTION "credentials_ended"('key', 'key_id');--> statement-breakpoint
-- A search reads the table for each entry that vacuum has not yet marked as visible to all.
ALTER TABLE "log_entries" SET (autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
-- Whether the account of a row is the one that the API's transaction is limited to. COALESCE keeps the
-- planner's estimate at one half: an equality would make it expect one row in a hundred.
CREATE FUNCTION "account_in_scope"(integer) RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(current_setting('trustcheck.account_id', true) IN ($1::text, 'any'), false);--> statement-breakpoint
ALTER TABLE "accounts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "accounts" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "accounts" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "accounts" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "affidavits" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "affidavits" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "affidavits" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "affidavits" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "api_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "api_keys" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "api_keys" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "api_keys" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "apps" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "apps" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "apps" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "apps" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "audit_heads" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "audit_heads" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "audit_heads" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "audit_heads" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "audit_rows" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "audit_rows" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "audit_rows" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "audit_rows" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "calendar_answers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "calendar_answers" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "calendar_answers" TO trustcheck_api USING (account_id IS NULL OR account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "calendar_answers" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "calendar_connections" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "calendar_connections" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "calendar_connections" TO trustcheck_api USING (account_id IS NULL OR account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "calendar_connections" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "calendar_flows" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "calendar_flows" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "calendar_flows" TO trustcheck_api USING (account_id IS NULL OR account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "calendar_flows" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "events" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "events" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "events" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "evidence" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "evidence" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "evidence" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = evidence.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "evidence" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "evidence_images" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "evidence_images" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "evidence_images" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = evidence_images.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "evidence_images" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "face_marks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "face_marks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "face_marks" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = face_marks.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "face_marks" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "invited_addresses" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "invited_addresses" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "invited_addresses" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "invited_addresses" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "invited_people" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "invited_people" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "invited_people" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "invited_people" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "join_sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "join_sessions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "join_sessions" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "join_sessions" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "links" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "links" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "links" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "links" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "log_entries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "log_entries" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "log_entries" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "log_entries" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "log_totals" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "log_totals" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "log_totals" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "log_totals" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "mail_reports" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "mail_reports" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "mail_reports" TO trustcheck_api USING (EXISTS (SELECT FROM links p WHERE p.link_uuid = mail_reports.link_uuid));--> statement-breakpoint
CREATE POLICY "every_account" ON "mail_reports" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "meeting_participants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "meeting_participants" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "meeting_participants" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "meeting_participants" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "meeting_reports" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "meeting_reports" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "meeting_reports" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "meeting_reports" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "meetings" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "meetings" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "meetings" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "meetings" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "member_mails" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "member_mails" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "member_mails" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "member_mails" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "memberships" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "memberships" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "memberships" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "memberships" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "opened_imports" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "opened_imports" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "opened_imports" TO trustcheck_api USING (EXISTS (SELECT FROM links p WHERE p.link_uuid = opened_imports.link_uuid));--> statement-breakpoint
CREATE POLICY "every_account" ON "opened_imports" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "phone_codes" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "phone_codes" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "phone_codes" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = phone_codes.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "phone_codes" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "photos" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "photos" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "photos" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = photos.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "photos" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "platform_accounts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "platform_accounts" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "platform_accounts" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "platform_accounts" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "platform_flows" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "platform_flows" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "platform_flows" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "platform_flows" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "prescreen_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "prescreen_days" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "prescreen_days" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "prescreen_days" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "prescreen_rollups" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "prescreen_rollups" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "prescreen_rollups" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "prescreen_rollups" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "proof_challenges" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "proof_challenges" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "proof_challenges" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = proof_challenges.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "proof_challenges" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "proof_submissions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "proof_submissions" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "proof_submissions" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = proof_submissions.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "proof_submissions" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "reviews" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "reviews" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "reviews" TO trustcheck_api USING (EXISTS (SELECT FROM trust_checks p WHERE p.link_session_id = reviews.link_session_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "reviews" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "sso_providers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "sso_providers" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "sso_providers" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "sso_providers" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "sso_subjects" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "sso_subjects" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "sso_subjects" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "sso_subjects" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "tickets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "tickets" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "tickets" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "tickets" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "trust_checks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "trust_checks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "trust_checks" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "trust_checks" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "webhook_attempts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhook_attempts" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "webhook_attempts" TO trustcheck_api USING (EXISTS (SELECT FROM webhook_deliveries p WHERE p.delivery_id = webhook_attempts.delivery_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "webhook_attempts" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "webhook_deliveries" TO trustcheck_api USING (EXISTS (SELECT FROM webhook_endpoints p WHERE p.endpoint_id = webhook_deliveries.endpoint_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "webhook_deliveries" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "webhook_endpoints" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "webhook_endpoints" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
ALTER TABLE "recoveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "recoveries" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY "account" ON "recoveries" TO trustcheck_api USING (account_in_scope(account_id));--> statement-breakpoint
CREATE POLICY "every_account" ON "recoveries" TO trustcheck, trustcheck_worker USING (true);--> statement-breakpoint
-- Conditions that are not leak-proof (`@>`, `ILIKE`) use no index behind a row policy. These views
-- read as the owner, whom no policy limits, and apply the policy's condition to the roles it limits.
CREATE VIEW "listed_links" AS
  SELECT * FROM "links"
  WHERE account_in_scope(account_id) OR NOT row_security_active('links');--> statement-breakpoint
CREATE VIEW "named_meetings" AS
  SELECT meeting_key, account_id, names_blind FROM "meetings"
  WHERE account_in_scope(account_id) OR NOT row_security_active('meetings');--> statement-breakpoint
CREATE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
