import { z } from 'zod';

export const webhookConfig = z.object({
  WEBHOOK_ENDPOINTS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(20)
    .describe('Maximum number of webhook endpoints of one account, from 1 to 1000.'),
});
