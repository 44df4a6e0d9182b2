CREATE TABLE "evidence_images" (
	"submission_id" text NOT NULL,
	"link_session_id" text NOT NULL,
	"sha256" text NOT NULL,
	"size_bytes" integer NOT NULL,
	"image_sealed" "bytea",
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "evidence_images_submission_id_sha256_pk" PRIMARY KEY("submission_id","sha256")
);
--> statement-breakpoint
CREATE TABLE "sms_routes" (
	"route" text NOT NULL,
	"begins_at" timestamp (3) with time zone NOT NULL,
	"sent" integer DEFAULT 0 NOT NULL,
	"verified" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "sms_routes_route_begins_at_pk" PRIMARY KEY("route","begins_at")
);
--> statement-breakpoint
CREATE TABLE "sms_stops" (
	"route" text PRIMARY KEY NOT NULL,
	"stopped_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"sent" integer NOT NULL,
	"verified" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "image_retention_days" integer DEFAULT 7 NOT NULL;--> statement-breakpoint
ALTER TABLE "proof_submissions" ADD COLUMN "claims_sealed" "bytea";--> statement-breakpoint
ALTER TABLE "trust_checks" ADD COLUMN "images_removed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "evidence_images" ADD CONSTRAINT "evidence_images_submission_id_proof_submissions_submission_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."proof_submissions"("submission_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evidence_images" ADD CONSTRAINT "evidence_images_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evidence_images_session" ON "evidence_images" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "sms_routes_age" ON "sms_routes" USING btree ("begins_at");--> statement-breakpoint
CREATE INDEX "trust_checks_images" ON "trust_checks" USING btree ("account_id","decided_at","link_session_id") WHERE decided_at IS NOT NULL AND images_removed_at IS NULL;