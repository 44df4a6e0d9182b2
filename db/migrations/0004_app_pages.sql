ALTER TABLE "apps" ADD COLUMN "brand_color" text;--> statement-breakpoint
ALTER TABLE "apps" ADD COLUMN "support_email" text;--> statement-breakpoint
ALTER TABLE "apps" ADD COLUMN "support_url" text;--> statement-breakpoint
ALTER TABLE "apps" ADD COLUMN "auto_redirect" boolean DEFAULT false NOT NULL;