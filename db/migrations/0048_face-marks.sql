CREATE TABLE "face_marks" (
	"mark" "bytea" PRIMARY KEY NOT NULL,
	"link_session_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "face_marks" ADD CONSTRAINT "face_marks_link_session_id_trust_checks_link_session_id_fk" FOREIGN KEY ("link_session_id") REFERENCES "public"."trust_checks"("link_session_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "face_marks_session" ON "face_marks" USING btree ("link_session_id");--> statement-breakpoint
CREATE INDEX "face_marks_expiry" ON "face_marks" USING btree ("expires_at");