DROP INDEX "devices_unread_serials";--> statement-breakpoint
ALTER TABLE "invited_addresses" ALTER COLUMN "address_sealed" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "run" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "platform_accounts" DROP COLUMN "refresh_token_sealed";