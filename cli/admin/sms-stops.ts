import type { Db } from '../../db/client.ts';
import { liftSmsStop, listSmsStops } from '../../db/queries/sms-routes.ts';
import { printableJson } from '../command-line/printable.ts';
import { AdminFault } from './admin.ts';

const listedMax = 100;

/** Returns the currently stopped routes, oldest stop first, as JSON. */
export async function smsStops(db: Db, now: Date): Promise<string> {
  return printableJson(await listSmsStops(db, now, listedMax));
}

/**
 * Lifts the stop of a route. Only codes sent from now on can stop it again.
 * @throws AdminFault if it is not stopped
 */
export async function endSmsStop(db: Db, route: string, now: Date): Promise<string> {
  const lifted = await liftSmsStop(db, route, now);
  if (!lifted) throw new AdminFault(`${route}: is not stopped`);
  return lifted.route;
}
