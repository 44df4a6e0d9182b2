ALTER TABLE "api_keys" ADD COLUMN "scopes" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "app_ids" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "replaced_by" text;--> statement-breakpoint
-- A rotation ends a key by its expiry.
DROP TRIGGER "api_keys_revoked" ON "api_keys";--> statement-breakpoint
CREATE TRIGGER "api_keys_revoked" AFTER UPDATE OF "revoked_at", "roles", "expires_at" ON "api_keys" FOR EACH ROW
WHEN (OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" OR OLD."roles" IS DISTINCT FROM NEW."roles"
  OR OLD."expires_at" IS DISTINCT FROM NEW."expires_at")
EXECUTE FUNCTION "credentials_ended"('key', 'key_id');
