import { createHmac } from 'node:crypto';
import { createDatabase, type DatabaseUrls } from '../../db/migrating/create-database.ts';
import { databaseRoles, type DatabaseRole } from '../../db/rights/roles.ts';

/**
 * Returns the URLs of all roles for an administrator's URL, in development. The password of each
 * role is derived from that of the administrator.
 */
export function developmentUrls(administratorUrl: string): DatabaseUrls {
  const urlOf = (role: DatabaseRole): string => {
    const url = new URL(administratorUrl);
    const name = databaseRoles[role];
    const password = decodeURIComponent(url.password);
    url.username = name;
    url.password = createHmac('sha256', password).update(name).digest('base64url');
    return url.href;
  };
  return { owner: urlOf('owner'), api: urlOf('api'), worker: urlOf('worker') };
}

/** Creates the database in an administrator's URL, with its roles. */
export async function createDevelopmentDatabase(administratorUrl: string): Promise<DatabaseUrls> {
  const urls = developmentUrls(administratorUrl);
  await createDatabase(administrationUrl(administratorUrl), urls);
  return urls;
}

/** Replaces the database by `postgres`, which every server has. */
export function administrationUrl(url: string): string {
  return url.replace(/\/[^/]*$/, '/postgres');
}
