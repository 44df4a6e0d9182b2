import { randomIds } from '../../../db/ids.ts';
import {
  calendarContext,
  calendarOwner,
  type CalendarConnectionRow,
} from '../../../db/queries/calendar-connections.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { call, type Answer } from '../http/client.ts';
import { calendarClient, type Person } from '../stand-ins/oauth/calendar-provider.ts';

/** An OAuth flow, as the page that began it stores it. */
export interface Begun {
  readonly authorizeUrl: string;
  /** The cookie as the browser sends it back. */
  readonly cookie: string;
}

/** Returns a new person at the provider, with these words in their name. */
export const newPerson = (...words: readonly string[]): Person =>
  [...words, randomIds.bytes(6).toString('hex')].join('-');

export const startPath = (query: Readonly<Record<string, string>>): string =>
  `/cal/oauth/start?${new URLSearchParams(query).toString()}`;

/** Begins a flow and expects success. */
export async function begin(
  token: string,
  query: Readonly<Record<string, string>>,
  at?: string,
): Promise<Begun> {
  const answer = await call('GET', startPath(query), { token, ...(at ? { at } : {}) });
  if (answer.status !== 200) throw new Error(`no flow: ${answer.status} ${answer.text}`);
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { authorizeUrl: String(answer.body['authorize_url']), cookie };
}

/** Simulates the person's decision at the provider. Returns where it redirects their browser. */
export async function decide(authorizeUrl: string, person: Person): Promise<string> {
  const url = new URL(authorizeUrl);
  url.searchParams.set('person', person);
  const answer = await fetch(url, { redirect: 'manual' });
  if (answer.status !== 302) throw new Error(`no consent: ${await answer.text()}`);
  const { pathname, search } = new URL(answer.headers.get('location') ?? '');
  return `${pathname}${search}`;
}

/** Simulates the browser's return, with the cookie if given. */
export function comeBack(path: string, cookie?: string, at?: string): Promise<Answer> {
  return call('GET', path, {
    ...(cookie === undefined ? {} : { headers: { cookie } }),
    ...(at ? { at } : {}),
  });
}

/** Runs the whole flow. */
export async function connect(
  token: string,
  query: Readonly<Record<string, string>>,
  person: Person = newPerson(),
  at?: string,
): Promise<Answer> {
  const { authorizeUrl, cookie } = await begin(token, query, at);
  return comeBack(await decide(authorizeUrl, person), cookie, at);
}

/** Returns how a flow ended, as the final page reads it. */
export function endOf({ status, headers }: Answer): unknown[] {
  const location = headers.get('location');
  const { searchParams = new URLSearchParams() } = location ? new URL(location) : {};
  return [status, searchParams.get('cal'), searchParams.get('cal_reason')];
}

/** Returns the refresh token of a connection, which only the platform stores. */
export async function tokenOf(sealer: Sealer, row: CalendarConnectionRow): Promise<string> {
  const context = calendarContext(row.connection_id, 'refresh_token');
  const sealed = row.refresh_token_sealed ?? Buffer.alloc(0);
  return (await sealer.open(calendarOwner(row.account_id), context, sealed)).toString();
}

/** Revokes the grant of a connection at the provider (RFC 7009), as its person would. */
export async function takeBackOf(
  issuer: string,
  sealer: Sealer,
  row: CalendarConnectionRow,
): Promise<void> {
  const token = await tokenOf(sealer, row);
  const { clientId, clientSecret } = calendarClient;
  const words = [clientId, clientSecret].map((word) => encodeURIComponent(word));
  const answer = await fetch(`${issuer}/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(words.join(':')).toString('base64')}` },
    body: new URLSearchParams({ token }),
  });
  if (answer.status !== 200) throw new Error(`not taken back: ${answer.status}`);
}
