import { statement } from '../client.ts';

/** Checks that the database answers. */
export const ping = statement('system.alive', 'SELECT 1 AS alive');
