CREATE INDEX "proof_challenges_session" ON "proof_challenges" USING btree ("link_session_id","proof");--> statement-breakpoint
CREATE INDEX "proof_challenges_expiry" ON "proof_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "trust_checks_device" ON "trust_checks" USING btree ("device_id","created_at");