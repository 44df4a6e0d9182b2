import { z } from 'zod';

/** The number of an account in a path or a query: no more than the store can hold. */
export const accountId = z.coerce.number().int().min(1).max(2_147_483_647);
