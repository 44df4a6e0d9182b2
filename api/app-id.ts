import { z } from 'zod';

/** The id of an app, in a path or a query (domain §1). */
export const appId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{2,62}$/, 'must be an app id')
  .describe('The app');
