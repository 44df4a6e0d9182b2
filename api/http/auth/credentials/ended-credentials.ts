import { forgetAccount, forgetPerson, forgetSessions } from './session.ts';

/** The database notifies this channel of ended credentials: triggers of migration 0059. */
export const endedCredentialsChannel = 'credentials_ended';

/** Drops the cached results of the sessions that a notification names. */
export function dropEndedCredential(payload: string): void {
  const [kind, id = ''] = payload.split(' ');
  if (kind === 'session') forgetSessions([id]);
  if (kind === 'person') forgetPerson(id);
  if (kind === 'account') forgetAccount(Number(id));
}
