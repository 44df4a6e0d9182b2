import { z } from 'zod';
import { integerText } from './integer-text.ts';

/** No more than the store can hold. */
const accountIdMax = 2_147_483_647;

/** The number of an account in a path or a query. */
export const accountId = integerText(1, accountIdMax);

/** The same in a body, where it is a number. */
export const accountNumber = z.int().min(1).max(accountIdMax);

/** The id of an app, in a path or a query (domain §1). */
export const appId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{2,62}$/,
    'must be 3 to 63 characters of a–z, 0–9 and -; the first is not -',
  )
  .describe('The app');

/** How the id of a person is written. */
export const polyUserIdForm = /^[A-Za-z0-9_-]{1,64}$/;

/** A person by their id. */
export const polyUserId = z.string().regex(polyUserIdForm, 'must be the id of a person');
