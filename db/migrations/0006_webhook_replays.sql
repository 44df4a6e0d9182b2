-- Replays that came at once were given one number: they get one each, in the order they came.
UPDATE "webhook_deliveries" d SET "replay" = n."place"
FROM (SELECT "delivery_id", "replay", row_number() OVER (PARTITION BY "endpoint_id", "event_id"
        ORDER BY "replay", "created_at", "delivery_id") - 1 AS "place" FROM "webhook_deliveries") n
WHERE d."delivery_id" = n."delivery_id" AND n."replay" <> n."place";--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_replay" ON "webhook_deliveries" USING btree ("endpoint_id","event_id","replay");