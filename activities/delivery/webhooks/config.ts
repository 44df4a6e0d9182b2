import { z } from 'zod';

export const webhookConfig = z.object({
  /** Endpoints per account. Every event goes to each of them. */
  WEBHOOK_ENDPOINTS_MAX: z.coerce.number().int().min(1).max(1000).default(20),
});
