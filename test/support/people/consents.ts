import { randomIds } from '../../../db/ids.ts';
import { call, type Answer } from '../http/client.ts';

/** An organization on conference platform B that nobody else in this run has. */
export const newTenant = (): string => randomIds.uuid();

/** Begins a consent; gives where its administrator is led. */
export async function beginConsent(token: string, at: string): Promise<string> {
  const { status, body, text } = await call('POST', '/v2/conf-b/consent', { token, at });
  if (status !== 201) throw new Error(`no consent: ${status} ${text}`);
  return String(body['authorize_url']);
}

/** Somebody answers at the platform: gives what its redirect address is called with. */
export async function answerAs(authorizeUrl: string, who: string): Promise<Record<string, string>> {
  const url = new URL(authorizeUrl);
  url.searchParams.set('as', who);
  const answer = await fetch(url, { redirect: 'manual' });
  if (answer.status !== 302) throw new Error(`refused there: ${await answer.text()}`);
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams);
}

/** The page at the redirect address hands on what it was called with. */
export const handOn = (token: string, at: string, body: unknown): Promise<Answer> =>
  call('POST', '/v2/conf-b/redirect', { token, at, body });

/** As far as the sign-in: what the platform has answered to it, to be handed on. */
export async function signInAs(
  token: string,
  at: string,
  tenant: string,
): Promise<Record<string, string>> {
  const given = await answerAs(await beginConsent(token, at), tenant);
  const { body, text } = await handOn(token, at, given);
  if (body['status'] !== 'sign_in_required') throw new Error(`no sign-in: ${text}`);
  return answerAs(String(body['authorize_url']), tenant);
}

/** The whole way. */
export const connectTenant = async (token: string, at: string, tenant: string): Promise<Answer> =>
  handOn(token, at, await signInAs(token, at, tenant));
