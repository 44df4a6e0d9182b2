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
  // Deliberately untyped: the tests assert the shape of bodies.
  readonly body: Record<string, unknown> & { [name: string]: unknown };
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Omits the proof of the browser, even if its key would sign one. */
  readonly isUnsigned?: true;
  /** Origin of another process that serves the same API. */
  readonly at?: string;
}

const callersAddress = new AsyncLocalStorage<string>();

/** Sends all calls inside from an address of their own, like those of another person. */
export function callingFrom<T>(address: string, calls: () => Promise<T>): Promise<T> {
  return callersAddress.run(address, calls);
}

/**
 * Returns an address per test. A limit per address then applies to one test, not to the whole
 * suite.
 */
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

/** Sends like `fetch`, from the address of the test, and signed if a browser would sign. */
function send(url: string, init: RequestInit, isUnsigned = false): Promise<Response> {
  const headers = { 'x-forwarded-for': callerAddress(), ...init.headers };
  const sendOnce = isUnsigned ? fetch : signing(fetch, ownPlatform().baseUrl);
  return sendOnce(url, { ...init, headers });
}

/** Reads the whole answer and validates it against the contract of its route. */
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
 * Calls the running API over real HTTP without redirects or retries. Validates every answer against
 * the contract of its route.
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

/** As patient as `eventually`, because the machine may be busy. */
const patience = { repeatsMax: 20, waitMsMax: 2_000, baseMs: 50 };

/**
 * Creates the published client with a credential, for tests of its effects. Its answers are
 * validated against the contracts like those of `call`.
 */
export function clientOf(token: string | null, more: Partial<ClientOptions> = {}): Client {
  const { baseUrl } = ownPlatform();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await send(url, init);
    const path = url.slice(new URL(url).origin.length);
    // The answer behind a redirect does not come from the requested route.
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
 * Repeats a call while the platform requests a retry (503, or a call under the same key in
 * progress), as the docs instruct users. The machine may be busy. Do not use it to test such
 * answers.
 */
export async function untilAnswered(what: string, ask: () => Promise<Answer>): Promise<Answer> {
  return eventually(`an answer of ${what}`, async () => {
    const answer = await ask();
    // Some tests exceed a limit on purpose.
    const isPassing = answer.status !== 429;
    return isPassing && isWorthRepeating(answer.status, String(answer.body['code']))
      ? null
      : answer;
  });
}

/** Executes a required step, and repeats it until it is answered. */
export async function done(what: string, ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await untilAnswered(what, ask);
  if (answer.status >= 300) throw new Error(`${what}: ${answer.status} ${answer.text}`);
  return answer;
}

/** Repeats the same call with the same key until it is answered. */
async function patiently(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID(), ...options.headers };
  return untilAnswered(path, () => call(method, path, { ...options, headers }));
}

type LinkBody = Params<'links.create'>['body'];

/** Creates a link of the test account, for the phone proof by default. */
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
  /** Executes a setup step of the test. */
  lead(name: string, body?: unknown): Promise<Answer>;
  get(): Promise<Answer>;
}

type BeginBody = Params<'trust-checks.begin'>['body'];

/** Begins a session with the web client, which can do the phone proof. */
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

/** Advances a session until it collects proofs. */
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

/** Returns a mobile number that is unique in this run. Each worker process has its own range. */
export function newNumber(): string {
  lastNumber += 1;
  const range = String(process.pid % 1000).padStart(3, '0');
  return `+49151${range}${String(lastNumber).padStart(5, '0')}`;
}

/** Returns the code that the service at `at` sent to a number. */
export async function codeFor(number: string, at = ownPlatform().baseUrl): Promise<string> {
  return eventually(`a code for ${number}`, async () => {
    const { body } = await call('GET', '/outbox/messages?limit=200', { at });
    const items = body['items'] as { recipient: string; text: string }[];
    const message = items.find(({ recipient }) => recipient === number);
    return message && /^(\d{6})\b/.exec(message.text)?.[1];
  });
}

/** Runs a whole check to its passed decision. */
export async function passedSession(body: LinkBody = {}): Promise<Session> {
  return pass(await collecting(await newLink(body)));
}

/** Advances a session that collects its phone proof to its decision. */
export async function pass(session: Session): Promise<Session> {
  const number = newNumber();
  await session.lead('phone/code', { phone_number: number });
  const judged = await session.lead('proofs/phone', { code: await codeFor(number) });
  if (judged.body['status'] !== 'passed') throw new Error(`not passed: ${judged.text}`);
  return session;
}

/** Waits until the affidavit of a session is available. */
export async function withAffidavit(session: Session): Promise<Answer> {
  return eventually('the affidavit', async () => {
    const found = await session.get();
    const affidavit = found.body['affidavit'] as { status: string };
    return affidavit.status === 'available' ? found : null;
  });
}
