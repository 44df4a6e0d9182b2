import { z } from 'zod';

export const dbConfig = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'a postgres:// address')
    .describe(
      '`postgres://` URL of the PostgreSQL 18 database. The user of the URL is the ' +
        'database role of this process.',
    ),
  DATABASE_CONNECTIONS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Maximum number of database connections of one process, from 1 to 200.'),
});
