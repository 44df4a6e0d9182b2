ALTER TABLE "phone_codes" ADD COLUMN "delivery_send" integer;--> statement-breakpoint
ALTER TABLE "phone_codes" ADD COLUMN "delivery" text;--> statement-breakpoint
ALTER TABLE "phone_codes" ADD COLUMN "delivery_reason" text;