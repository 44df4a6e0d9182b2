import { z } from 'zod';
import { integerText } from './integer-text.ts';

/** No more than the store can hold. */
const accountIdMax = 2_147_483_647;

/** The number of an account in a path or a query. */
export const accountId = integerText(1, accountIdMax);

/** The same in a body, where it is a number. */
export const accountNumber = z.int().min(1).max(accountIdMax);
