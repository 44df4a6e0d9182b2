CREATE TABLE "transparency_checkpoints" (
	"size" bigint PRIMARY KEY NOT NULL,
	"root" "bytea" NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transparency_entries" (
	"index" bigint PRIMARY KEY NOT NULL,
	"affidavit_id" text NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transparency_entries_affidavit" UNIQUE("affidavit_id"),
	CONSTRAINT "transparency_entries_bounded" CHECK (length("transparency_entries"."entry") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "transparency_nodes" (
	"level" integer NOT NULL,
	"index" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "transparency_nodes_level_index_pk" PRIMARY KEY("level","index")
);
--> statement-breakpoint
ALTER TABLE "affidavits" ADD COLUMN "awaits_log_proof" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "affidavits_unproven" ON "affidavits" USING btree ("available_at") WHERE awaits_log_proof;--> statement-breakpoint
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
UPDATE "affidavits" SET "awaits_log_proof" = true WHERE "status" = 'available';
