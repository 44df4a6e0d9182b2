CREATE TABLE "evidence_uploads" (
	"object_key" text PRIMARY KEY NOT NULL,
	"evidence_id" text NOT NULL,
	"upload_id" text NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"swept_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "evidence_uploads_begun" ON "evidence_uploads" USING btree ("begun_at");