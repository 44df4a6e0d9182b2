import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  createClient,
  type Client,
  type ClientOptions,
  type Params,
} from '../../../client/index.ts';
import { isWorthRepeating } from '../../../client/retry.ts';
import { eventually } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { signing } from './browser-keys.ts';
import { witness } from './witness.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The bodies under test have no types here on purpose: the tests say what they must be.
  readonly body: Record<string, unknown> & { [name: string]: unknown };
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends no proof of the browser, where its key would sign one. */
  readonly isUnsigned?: true;
  /** Where another process serves the same API. */
  readonly at?: string;
}

const callersAddress = new AsyncLocalStorage<string>();

/** Has all calls within come from an address of their own, as if from one person more. */
export function callingFrom<T>(address: string, calls: () => Promise<T>): Promise<T> {
  return callersAddress.run(address, calls);
}

/** An address for each test: what is limited by address is limited for one person, not for a suite. */
function addressOfTest(): string {
  const name = `${process.pid} ${expect.getState().currentTestName ?? ''}`;
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(name).digest();
  return `10.${a}.${b}.${c}`;
}

const callerAddress = (): string => callersAddress.getStore() ?? addressOfTest();

/** `fetch` from the address of the test, for the client of a simulated phone. */
export const fetchFromTest: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('x-forwarded-for', callerAddress());
  return fetch(input, { ...init, headers });
};

/** Sends as `fetch` does, from the address of the test, and signed where a browser would sign. */
function send(url: string, init: RequestInit, isUnsigned = false): Promise<Response> {
  const headers = { 'x-forwarded-for': callerAddress(), ...init.headers };
  const sendOnce = isUnsigned ? fetch : signing(fetch, ownPlatform().baseUrl);
  return sendOnce(url, { ...init, headers });
}

/** The answer in whole, held against the contract of its route. */
async function read(method: string, path: string, response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  const { status, headers } = response;
  const body = isJson && text !== '' ? JSON.parse(text) : {};
  const answer = { status, headers, text, body };
  witness(method, path, answer, ownPlatform().baseUrl);
  return answer;
}

/**
 * Calls the running API over real HTTP, following nothing and retrying nothing. Every answer is held
 * against the contract of its route.
 */
export async function call(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const content =
    options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const init = {
    method,
    redirect: 'manual',
    headers: {
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...options.headers,
    },
    ...(content === undefined ? {} : { body: content as string }),
  } as const;
  const url = `${options.at ?? ownPlatform().baseUrl}${path}`;
  const response = await send(url, init, options.isUnsigned);
  return read(method, path, response);
}

/** As patient as `eventually`: the machine of a test may be busy with other things. */
const patience = { repeatsMax: 20, waitMsMax: 2_000, baseMs: 50 };

/**
 * The client our users have, with a credential: for what is tested by what it does. Its answers are
 * held against the contracts like those of `call`.
 */
export function clientOf(token: string | null, more: Partial<ClientOptions> = {}): Client {
  const { baseUrl } = ownPlatform();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await send(url, init);
    const path = url.slice(new URL(url).origin.length);
    // What a redirect leads to is no answer of the route that was asked.
    if (!response.redirected) await read(init.method ?? 'GET', path, response.clone());
    return response;
  };
  return createClient({
    baseUrl,
    token,
    retries: patience,
    ...more,
    deps: { fetch, ...more.deps },
  });
}

/**
 * Repeats a call while the platform asks for it (503, or a call under the same key in progress), as
 * the docs tell users to. The machine of a test may be busy. Not for tests of such answers.
 */
export async function untilAnswered(what: string, ask: () => Promise<Answer>): Promise<Answer> {
  return eventually(`an answer of ${what}`, async () => {
    const answer = await ask();
    // A limit is what some tests lead up to.
    const isPassing = answer.status !== 429;
    return isPassing && isWorthRepeating(answer.status, String(answer.body['code']))
      ? null
      : answer;
  });
}

/** A step that must have been done, asked again until it is answered. */
export async function done(what: string, ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await untilAnswered(what, ask);
  if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
  return answer;
}

/** The same call again under the same key, until it is answered. */
async function patiently(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID(), ...options.headers };
  return untilAnswered(path, () => call(method, path, { ...options, headers }));
}

type LinkBody = Params<'links.create'>['body'];

/** A link of the test account, for the phone proof unless said otherwise. */
export async function newLink(body: LinkBody = {}): Promise<string> {
  const { own } = ownPlatform();
  const { link_uuid } = await clientOf(own.api_key).links.create({
    app_id: own.app_id,
    body: { required_proofs: ['phone'], ...body },
  });
  return link_uuid;
}

export interface Session {
  readonly id: string;
  readonly token: string;
  step(name: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A step that leads up to what is tested. */
  lead(name: string, body?: unknown): Promise<Answer>;
  get(): Promise<Answer>;
}

type BeginBody = Params<'trust-checks.begin'>['body'];

/** Begins a session by the web client, which can do the phone proof. */
export async function beginSession(
  linkUuid: string,
  client: BeginBody['client'] = 'web',
  more: Partial<BeginBody> = {},
): Promise<Session> {
  const { link_session_id: id, check_token: token } = await clientOf(null).trustChecks.begin({
    body: { link_uuid: linkUuid, client, ...more },
  });
  return {
    id,
    token,
    step: (name, body = {}, headers = {}) =>
      call('POST', `/v2/trust-checks/${id}/${name}`, { token, body, headers }),
    lead: (name, body = {}) => patiently('POST', `/v2/trust-checks/${id}/${name}`, { token, body }),
    get: () => call('GET', `/v2/trust-checks/${id}`, { token }),
  };
}

/** Brings a session to where it collects proofs. */
export async function collecting(
  linkUuid: string,
  client: BeginBody['client'] = 'web',
  pair: (session: Session) => Promise<unknown> = (session) => session.lead('pair'),
  more: Partial<BeginBody> = {},
): Promise<Session> {
  const session = await beginSession(linkUuid, client, more);
  await session.lead('open');
  await pair(session);
  const consented = await session.lead('consent', { accepted: true, tos_version: '1', claims: [] });
  if (consented.status !== 200) throw new Error(`no consent: ${consented.text}`);
  return session;
}

let lastNumber = 0;

/** A mobile number nobody else in this run has; each worker process has its own range. */
export function newNumber(): string {
  lastNumber += 1;
  const range = String(process.pid % 1000).padStart(3, '0');
  return `+49151${range}${String(lastNumber).padStart(5, '0')}`;
}

/** The code that was sent to a number by the service at this address. */
export async function codeFor(number: string, at = ownPlatform().baseUrl): Promise<string> {
  return eventually(`a code for ${number}`, async () => {
    const { body } = await call('GET', '/outbox/messages?limit=200', { at });
    const items = body['items'] as { recipient: string; text: string }[];
    const message = items.find(({ recipient }) => recipient === number);
    return message && /^(\d{6})\b/.exec(message.text)?.[1];
  });
}

/** Runs a whole check to its decision. */
export async function passedSession(body: LinkBody = {}): Promise<Session> {
  return pass(await collecting(await newLink(body)));
}

/** Brings a session that collects its phone proof to its decision. */
export async function pass(session: Session): Promise<Session> {
  const number = newNumber();
  await session.lead('phone/code', { phone_number: number });
  const judged = await session.lead('proofs/phone', { code: await codeFor(number) });
  if (judged.body['status'] !== 'passed') throw new Error(`not passed: ${judged.text}`);
  return session;
}

/** Waits until the affidavit of a session is there. */
export async function withAffidavit(session: Session): Promise<Answer> {
  return eventually('the affidavit', async () => {
    const found = await session.get();
    const affidavit = found.body['affidavit'] as { status: string };
    return affidavit.status === 'available' ? found : null;
  });
}
