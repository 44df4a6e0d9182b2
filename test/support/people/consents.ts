import { randomIds } from '../../../db/ids.ts';
import { call, type Answer } from '../http/client.ts';

/** Returns an organization on conference platform B that is unique in this run. */
export const newTenant = (): string => randomIds.uuid();

/** Begins a consent. Returns the address to which the administrator is redirected. */
export async function beginConsent(token: string, at: string): Promise<string> {
  const { status, body, text } = await call('POST', '/v2/conf-b/consent', { token, at });
  if (status !== 201) throw new Error(`no consent: ${status} ${text}`);
  return String(body['authorize_url']);
}

/**
 * Answers at the platform as `who`. Returns the parameters with which it calls the redirect
 * address.
 */
export async function answerAs(authorizeUrl: string, who: string): Promise<Record<string, string>> {
  const url = new URL(authorizeUrl);
  url.searchParams.set('as', who);
  const answer = await fetch(url, { redirect: 'manual' });
  if (answer.status !== 302) throw new Error(`refused there: ${await answer.text()}`);
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams);
}

/** Forwards the parameters of the redirect address to the API, as its page does. */
export const handOn = (token: string, at: string, body: unknown): Promise<Answer> =>
  call('POST', '/v2/conf-b/redirect', { token, at, body });

/** Runs the flow up to the sign-in. Returns the platform's answer to it, to be forwarded. */
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

/** Runs the whole flow. */
export const connectTenant = async (token: string, at: string, tenant: string): Promise<Answer> =>
  handOn(token, at, await signInAs(token, at, tenant));
