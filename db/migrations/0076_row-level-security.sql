-- Whether a row's account is the one that the API's transaction is limited to. COALESCE keeps the
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
-- read as the owner, whom no policy limits, and apply the condition of the policy to roles it limits.
CREATE VIEW "listed_links" AS
  SELECT * FROM "links"
  WHERE account_in_scope(account_id) OR NOT row_security_active('links');--> statement-breakpoint
CREATE VIEW "named_meetings" AS
  SELECT meeting_key, account_id, names_blind FROM "meetings"
  WHERE account_in_scope(account_id) OR NOT row_security_active('meetings');--> statement-breakpoint
CREATE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
