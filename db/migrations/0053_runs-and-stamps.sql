ALTER TABLE "idempotency_keys" ADD COLUMN "run" text;--> statement-breakpoint
CREATE FUNCTION "timestamps_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'rows of time stamps are added only';
END $$;--> statement-breakpoint
CREATE TRIGGER "timestamps_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "timestamps" FOR EACH STATEMENT EXECUTE FUNCTION "timestamps_refuse"();
