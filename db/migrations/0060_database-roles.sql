-- The processes may not write the log's tables: what these triggers do is done by the owner. A fixed
-- search path keeps the objects of others out of it.
ALTER FUNCTION "log_entries_count"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;--> statement-breakpoint
ALTER FUNCTION "log_none"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;--> statement-breakpoint
ALTER FUNCTION "log_meetings_added"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;--> statement-breakpoint
ALTER FUNCTION "log_meetings_changed"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;--> statement-breakpoint
ALTER FUNCTION "log_trust_checks_added"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;--> statement-breakpoint
ALTER FUNCTION "log_trust_checks_changed"() SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp;
