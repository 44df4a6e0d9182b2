import { accountRows } from './rows/account.ts';
import { ownRows } from './rows/own.ts';
import { personRows } from './rows/person.ts';
import { publicRows } from './rows/public.ts';
import type { Rule } from './rules.ts';

/**
 * Who may do what, by method and path: written by hand from the interface and the tables of our own
 * operations, and by intent not from the contracts, which it is held against.
 */
export const policy: Readonly<Record<string, Rule>> = {
  ...publicRows,
  ...personRows,
  ...accountRows,
  ...ownRows,
};
