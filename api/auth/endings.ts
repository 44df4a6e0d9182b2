import { forgetAccount, forgetPerson, forgetSessions } from './session.ts';

/** Where the database tells of credentials that may have ended: triggers of migration 0059. */
export const endingsChannel = 'credentials_ended';

/** Has this process ask the store anew about the sessions a notification is about. */
export function hearEnding(payload: string): void {
  const [kind, id = ''] = payload.split(' ');
  if (kind === 'session') forgetSessions([id]);
  if (kind === 'person') forgetPerson(id);
  if (kind === 'account') forgetAccount(Number(id));
}
