import { z } from 'zod';
import { integerText } from './integer-text.ts';

/** The maximum of the column (int4). */
const accountIdMax = 2_147_483_647;

/** An account number in a path or a query. */
export const accountId = integerText(1, accountIdMax);

/** An account number in a body. */
export const accountNumber = z.int().min(1).max(accountIdMax);

/** An app id in a path or a query. */
export const appId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{2,62}$/,
    'must be 3 to 63 characters of a–z, 0–9 and -; the first is not -',
  )
  .describe('ID of the app');

/** The form of a person's id. */
export const polyUserIdForm = /^[A-Za-z0-9_-]{1,64}$/;

export const polyUserId = z.string().regex(polyUserIdForm, 'must be the id of a person');
