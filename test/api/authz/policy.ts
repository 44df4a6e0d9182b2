import { accountRows } from './rows/account.ts';
import { ownRows } from './rows/own.ts';
import { personRows } from './rows/person.ts';
import { publicRows } from './rows/public.ts';
import type { Rule } from './rules.ts';

/**
 * The authorization policy by method and path. It is written by hand from the interface and the
 * tables of our own operations, and not derived from the contracts that it tests.
 */
export const policy: Readonly<Record<string, Rule>> = {
  ...publicRows,
  ...personRows,
  ...accountRows,
  ...ownRows,
};
