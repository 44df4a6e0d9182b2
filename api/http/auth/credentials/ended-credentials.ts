import { forgetAccount, forgetPerson, forgetSessions } from './session.ts';

/** PostgreSQL channel for ended credentials, notified by the triggers of migration 0059. */
export const endedCredentialsChannel = 'credentials_ended';

/** Drops the cached results of the sessions that a notification is about. */
export function dropEndedCredential(payload: string): void {
  const [kind, id = ''] = payload.split(' ');
  if (kind === 'session') forgetSessions([id]);
  if (kind === 'person') forgetPerson(id);
  if (kind === 'account') forgetAccount(Number(id));
}
