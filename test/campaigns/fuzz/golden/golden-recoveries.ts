import { newCertUser } from '../../../support/people/cert-users.ts';
import { newSubject, openRecovery, type Subject } from '../../../support/people/recoveries.ts';
import type { Stage } from '../stage.ts';
import type { MakeGolden } from './golden.ts';

/** Good calls to recover access after the loss of all devices. */
export function goldenRecoveries({ db, quiet }: Stage): Readonly<Record<string, MakeGolden>> {
  const newAdmin = async () => (await newCertUser(db, quiet.account_id, ['ADMIN'])).token;
  const opened = async (): Promise<{ subject: Subject; opener: string; at: string }> => {
    const [subject, opener] = [await newSubject(db, quiet), await newAdmin()];
    await newAdmin();
    const { body, text } = await openRecovery(quiet, subject, opener);
    if (body['status'] !== 'open') throw new Error(`no recovery: ${text}`);
    return { subject, opener, at: `${subject.at}/${String(body['recovery_id'])}` };
  };
  return {
    'recoveries.open': async () => {
      const subject = await newSubject(db, quiet);
      await newAdmin();
      return { path: subject.at, token: await newAdmin(), body: { app_id: quiet.app_id } };
    },
    'recoveries.approve': async () => ({
      path: `${(await opened()).at}/approve`,
      token: await newAdmin(),
    }),
    'recoveries.deny': async () => ({
      path: `${(await opened()).at}/deny`,
      token: await newAdmin(),
    }),
    'recoveries.cancel': async () => {
      const { opener, at } = await opened();
      return { path: `${at}/cancel`, token: opener };
    },
  };
}
