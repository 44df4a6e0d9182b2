import { z } from 'zod';

export const dbConfig = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'a postgres:// address'),
  DATABASE_CONNECTIONS_MAX: z.coerce.number().int().min(1).max(200).default(10),
});
