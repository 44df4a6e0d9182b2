-- Tells the processes of the API, which believe a session for a while, that it may have ended.
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
CREATE TRIGGER "api_keys_revoked" AFTER UPDATE OF "revoked_at", "roles" ON "api_keys" FOR EACH ROW
WHEN (OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" OR OLD."roles" IS DISTINCT FROM NEW."roles")
EXECUTE FUNCTION "credentials_ended"('key', 'key_id');
