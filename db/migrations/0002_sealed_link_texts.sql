-- Title and reference of a link are stored sealed, with keyed digests for searches. SQL has no key:
-- texts that earlier rows have in clear are removed.
DROP VIEW "listed_links";--> statement-breakpoint
DROP VIEW "listed_trust_checks";--> statement-breakpoint
DROP TRIGGER "log_trust_checks_changed" ON "trust_checks";--> statement-breakpoint
DROP INDEX "links_reference";--> statement-breakpoint
DROP INDEX "links_search";--> statement-breakpoint
DROP INDEX "log_entries_stream";--> statement-breakpoint
DROP INDEX "trust_checks_reference";--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "reference_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "title_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "reference_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "reference_blind" "bytea";--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "words_blind" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "log_entries" ADD COLUMN "words" text;--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "title_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "reference_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "reference_blind" "bytea";--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "words_blind" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "links_reference" ON "links" USING btree ("account_id","reference_blind","created_at") WHERE reference_blind IS NOT NULL;--> statement-breakpoint
CREATE INDEX "links_search" ON "links" USING gin ("account_id","words_blind",link_uuid COLLATE "pg_c_utf8" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "log_entries_stream" ON "log_entries" USING btree ("account_id","source","at","id","app_id","link_uuid","title","detail","words");--> statement-breakpoint
CREATE INDEX "trust_checks_reference" ON "trust_checks" USING btree ("account_id","reference_blind","created_at") WHERE reference_blind IS NOT NULL;--> statement-breakpoint
ALTER TABLE "links" DROP COLUMN "title";--> statement-breakpoint
ALTER TABLE "links" DROP COLUMN "reference_id";--> statement-breakpoint
ALTER TABLE "trust_checks" DROP COLUMN "reference_id";--> statement-breakpoint
UPDATE "trust_checks" SET "asked" = "asked" - 'title' WHERE "asked" ? 'title';--> statement-breakpoint
UPDATE "events" SET "data" = jsonb_set("data", '{object,reference_id}', 'null')
WHERE "data"->'object'->>'reference_id' IS NOT NULL;--> statement-breakpoint
UPDATE "log_entries" SET "title" = NULL, "detail" = NULL WHERE "source" = 'trust_check';--> statement-breakpoint
-- Digests with spaces between, so that LIKE finds whole digests only.
CREATE FUNCTION "log_words"(text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT nullif(array_to_string($1, ' '), '')
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "log_trust_checks_added"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	INSERT INTO "log_entries" SELECT "account_id", 'trust_check', "created_at", "link_session_id", "app_id", "link_uuid",
		NULL, NULL, "log_words"("words_blind")
	FROM added;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "log_trust_checks_changed"() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	DELETE FROM "log_entries" WHERE ("account_id", "source", "at", "id")
		= (OLD."account_id", 'trust_check', OLD."created_at", OLD."link_session_id");
	IF TG_OP = 'UPDATE' THEN
		INSERT INTO "log_entries" VALUES (NEW."account_id", 'trust_check', NEW."created_at", NEW."link_session_id", NEW."app_id", NEW."link_uuid",
		NULL, NULL, "log_words"(NEW."words_blind"));
	END IF;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "log_trust_checks_changed" AFTER UPDATE OF "link_session_id", "account_id", "app_id", "link_uuid", "created_at", "words_blind"
ON "trust_checks" FOR EACH ROW
WHEN ((OLD."link_session_id", OLD."account_id", OLD."app_id", OLD."link_uuid", OLD."created_at", OLD."words_blind") IS DISTINCT FROM
	(NEW."link_session_id", NEW."account_id", NEW."app_id", NEW."link_uuid", NEW."created_at", NEW."words_blind"))
EXECUTE FUNCTION "log_trust_checks_changed"();--> statement-breakpoint
CREATE VIEW "listed_links" AS
  SELECT * FROM "links"
  WHERE account_in_scope(account_id) OR NOT row_security_active('links');--> statement-breakpoint
CREATE VIEW "listed_trust_checks" AS
  SELECT * FROM "trust_checks"
  WHERE account_in_scope(account_id) OR NOT row_security_active('trust_checks');
