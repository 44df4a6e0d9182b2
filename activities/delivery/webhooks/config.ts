import { z } from 'zod';

/** Settings of webhooks. */
export const webhookConfig = z.object({
  /** How many endpoints one account may have: every event goes to each of them. */
  WEBHOOK_ENDPOINTS_MAX: z.coerce.number().int().min(1).max(1000).default(20),
});
