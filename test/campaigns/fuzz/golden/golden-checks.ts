import { enrolledPhone, pairedSession } from '../../../support/checks/phone.ts';
import { sessionInReview } from '../../../support/checks/unsure.ts';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  done,
  newLink,
  newNumber,
  passedSession,
} from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import type { Stage } from '../stage.ts';
import { signer } from './golden-people.ts';
import type { Golden, MakeGolden } from './golden.ts';

/** Good calls on checks, each at a state in which its step succeeds, and on ended checks. */
export function goldenChecks(stage: Stage): Readonly<Record<string, MakeGolden>> {
  const { own } = ownPlatform();
  const { client, trial, passed } = stage;
  const token = own.api_key;
  const at = (id: string, name: string): string => `/v2/trust-checks/${id}/${name}`;
  const complete = async (path: (link: string) => string): Promise<Golden> => {
    const link = await newLink({ required_proofs: ['device'] });
    const device = await enrolledPhone();
    await pairedSession(device, link);
    return { path: path(link), body: {}, sign: signer(device) };
  };
  const newTrial = async (): Promise<string> => {
    const body = { required_proofs: ['phone'] };
    const made = await done('a link', () =>
      call('PUT', `/v2/link/${trial.app_id}`, { token: trial.test_key, body }),
    );
    return String(made.body['link_uuid']);
  };
  return {
    'links.complete': () => complete((link) => `/v2/${own.app_id}/${link}`),
    'links.completeById': () => complete((link) => `/v2/${link}`),
    'trust-checks.consent': async () => {
      const session = await beginSession(await newLink());
      for (const step of ['open', 'pair']) await session.lead(step);
      const body = { accepted: true, tos_version: '1', claims: [] };
      return { path: at(session.id, 'consent'), token: session.token, body };
    },
    'trust-checks.pair': async () => {
      const session = await beginSession(await newLink());
      await session.lead('open');
      return { path: at(session.id, 'pair'), token: session.token, body: {} };
    },
    'trust-checks.submitProof': async () => {
      const session = await collecting(await newLink());
      const phone_number = newNumber();
      await session.lead('phone/code', { phone_number });
      const body = { code: await codeFor(phone_number) };
      return { path: at(session.id, 'proofs/phone'), token: session.token, body };
    },
    'proofs.challenge': async () => {
      const link = await newLink({ required_proofs: ['nfc_passport'] });
      const device = await enrolledPhone();
      const session = await pairedSession(device, link);
      const body = { proof: 'nfc_passport' };
      return { path: at(session.id, 'challenges'), token: session.token, body };
    },
    'trust-checks.review': async () => {
      const session = await sessionInReview(client);
      const body = { decision: 'approve', note: 'fine' };
      return { path: at(session.id, 'review'), token, body };
    },
    'trust-checks.retry': async () => {
      const session = await sessionInReview(client);
      const body = { decision: 'retry', note: 'dark' };
      await done('a review', () => call('POST', at(session.id, 'review'), { token, body }));
      return { path: at(session.id, 'retry'), token: session.token, body: {} };
    },
    'trust-checks.evidence': async () => ({ path: at(passed.id, 'evidence'), token }),
    'trust-checks.revoke': async () => ({
      path: at((await passedSession()).id, 'revoke'),
      token,
      body: {},
    }),
    'trust-checks.redact': async () => {
      const session = await beginSession(await newLink());
      await session.lead('cancel');
      return { path: at(session.id, 'redact'), token, body: {} };
    },
    'logs.affidavit': async () => ({
      path: `/v2/affidavits/${own.app_id}/${passed.id}/download`,
      token,
    }),
    'sandbox.advance': async () => {
      const { id } = await beginSession(await newTrial());
      const body = { link_session_id: id, seconds: 60 };
      return { path: '/v2/sandbox/advance', token: trial.test_key, body };
    },
    'sandbox.event': async () => ({
      path: '/v2/sandbox/events',
      token: trial.test_key,
      body: { type: 'link.created', object_id: await newTrial() },
    }),
  };
}
