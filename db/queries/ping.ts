import { statement } from '../client.ts';

/** Asks the database for nothing but an answer. */
export const ping = statement('system.alive', 'SELECT 1 AS alive');
