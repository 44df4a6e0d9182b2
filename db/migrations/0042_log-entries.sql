-- Whoever writes a meeting or a check meanwhile waits, so that none is left out.
LOCK TABLE "meetings", "trust_checks" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
DROP INDEX "meetings_search";--> statement-breakpoint
DROP INDEX "trust_checks_search";--> statement-breakpoint
CREATE TYPE "public"."log_source" AS ENUM('meeting', 'trust_check');--> statement-breakpoint
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
-- With its foreign key: whoever writes an account is waited for before anything is copied.
CREATE TABLE "log_totals" (
	"account_id" integer NOT NULL,
	"source" "log_source" NOT NULL,
	"app_id" text NOT NULL,
	"slot" bigint GENERATED ALWAYS AS IDENTITY (sequence name "log_totals_slot_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"entries" bigint NOT NULL,
	CONSTRAINT "log_totals_account_id_source_app_id_slot_pk" PRIMARY KEY("account_id","source","app_id","slot"),
	CONSTRAINT "log_totals_account_id_accounts_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("account_id") ON DELETE no action ON UPDATE no action
);--> statement-breakpoint
-- In small letters by a collation of PostgreSQL's own, as a search is; cut, for an index takes no
-- text of any length.
CREATE FUNCTION "log_text"(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT left(lower($1 COLLATE "pg_c_utf8"), 256)
$$;--> statement-breakpoint
INSERT INTO "log_entries" SELECT "account_id", 'meeting', "occurred_at", "meeting_key", NULL, "link_uuid",
		"log_text"("topic"), "log_text"("organization")
FROM "meetings";--> statement-breakpoint
INSERT INTO "log_entries" SELECT "account_id", 'trust_check', "created_at", "link_session_id", "app_id", "link_uuid",
		"log_text"("asked"->>'title'), "log_text"("reference_id")
FROM "trust_checks";--> statement-breakpoint
CREATE INDEX "log_entries_stream" ON "log_entries" USING btree ("account_id","source","at","id","app_id","link_uuid","title","detail");--> statement-breakpoint
INSERT INTO "log_totals" ("account_id", "source", "app_id", "entries")
SELECT "account_id", "source", coalesce("app_id", ''), count(*) FROM "log_entries" GROUP BY 1, 2, 3;--> statement-breakpoint
-- What is not known to be visible to all costs a search a look at the table.
ALTER TABLE "log_entries" SET (autovacuum_vacuum_insert_scale_factor = 0.02);--> statement-breakpoint
ANALYZE "log_entries", "log_totals";--> statement-breakpoint
CREATE FUNCTION "log_entries_count"() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION "log_none"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM "log_entries" WHERE "source" = TG_ARGV[0]::"log_source";
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_meetings_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "log_entries" SELECT "account_id", 'meeting', "occurred_at", "meeting_key", NULL, "link_uuid",
		"log_text"("topic"), "log_text"("organization")
	FROM added;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_meetings_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION "log_trust_checks_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "log_entries" SELECT "account_id", 'trust_check', "created_at", "link_session_id", "app_id", "link_uuid",
		"log_text"("asked"->>'title'), "log_text"("reference_id")
	FROM added;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "log_trust_checks_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
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
EXECUTE FUNCTION "log_none"('trust_check');
