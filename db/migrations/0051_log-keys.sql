CREATE TABLE "transparency_cosignatures" (
	"signed_by" text NOT NULL,
	"size" bigint NOT NULL,
	"witness" text NOT NULL,
	"line" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transparency_cosignatures_signed_by_size_witness_pk" PRIMARY KEY("signed_by","size","witness"),
	CONSTRAINT "transparency_cosignatures_bounded" CHECK (length("transparency_cosignatures"."line") <= 500)
);
--> statement-breakpoint
CREATE TRIGGER "transparency_cosignatures_added_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "transparency_cosignatures" FOR EACH STATEMENT EXECUTE FUNCTION "transparency_refuse"();--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" DISABLE TRIGGER USER;--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ADD COLUMN "signed_by" text;--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ADD COLUMN "number" integer;--> statement-breakpoint
UPDATE "transparency_checkpoints" SET "signed_by" = split_part("note", E'\n', 1) || '+' || encode(substring(decode(split_part(split_part("note", E'\n', 5), ' ', 3), 'base64') FROM 1 FOR 4), 'hex');--> statement-breakpoint
UPDATE "transparency_checkpoints" c SET "number" = placed.number FROM (SELECT "size", row_number() OVER (PARTITION BY "signed_by" ORDER BY "size") AS number FROM "transparency_checkpoints") placed WHERE placed."size" = c."size";--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ALTER COLUMN "signed_by" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ALTER COLUMN "number" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" DROP CONSTRAINT "transparency_checkpoints_pkey";--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ADD CONSTRAINT "transparency_checkpoints_signed_by_size_pk" PRIMARY KEY("signed_by","size");--> statement-breakpoint
ALTER TABLE "transparency_checkpoints" ENABLE TRIGGER USER;
