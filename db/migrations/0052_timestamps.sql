CREATE TABLE "timestamps" (
	"serial" text PRIMARY KEY NOT NULL,
	"tsa_serial" text NOT NULL,
	"imprint" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
