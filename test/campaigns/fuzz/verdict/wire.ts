import { Buffer } from 'node:buffer';
import { request, type Agent } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { proofOf } from '../../../support/http/browser-keys.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import type { Golden } from '../golden/golden.ts';
import type { Operation } from '../operations.ts';
import type { BodyPlan, Plan, Who, Written } from '../plans.ts';
import { spell } from '../values/spell.ts';
import { withKnown } from '../values/values.ts';
import type { Known } from './known.ts';

const noAnswerMs = 30_000;

/** A request with all decisions made, ready to send. */
export interface Wire {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  readonly isChunked: boolean;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly tookMs: number;
}

/** The environment in which a plan becomes a request. */
export interface Around {
  readonly operation: Operation;
  readonly golden: Golden;
  readonly known: Known;
  readonly principals: readonly string[];
  /** Address of the caller, so that limits per address are spread. */
  readonly address: string;
}

/** Returns the values in the path of a good call, by parameter name. */
export function pathValues({ path }: Operation, golden: Golden): Record<string, string> {
  const segments = (golden.path.split('?')[0] ?? '').split('/');
  const parts = path.split('/');
  const values: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith('{')) continue;
    const isLast = index === parts.length - 1;
    values[part.slice(1, -1)] = segments.slice(index, isLast ? undefined : index + 1).join('/');
  }
  return values;
}

/** Turns a plan into a request, with a phone’s signature when the good call has one. */
export async function wireOf(plan: Plan, around: Around): Promise<Wire> {
  const { operation, golden, address } = around;
  const method = plan.method ?? operation.method;
  const target = targetOf(plan, around);
  const body = method === 'GET' && plan.body.kind === 'own' ? null : bodyOf(plan, around);
  const type = plan.headers.some(([name]) => name === 'content-type');
  const usual: [string, string][] = [
    ...(plan.headers.some(([name]) => name === 'x-forwarded-for')
      ? []
      : [['x-forwarded-for', address] as [string, string]]),
    ...Object.entries(golden.headers ?? {}).filter(([name]) => !type || name !== 'content-type'),
    ...(body && !type && !golden.headers?.['content-type']
      ? [['content-type', 'application/json'] as [string, string]]
      : []),
    ...credentialsOf(plan.who, around),
  ];
  const signature = golden.sign
    ? await golden.sign({ method, path: target, body: body?.toString('latin1') ?? '' })
    : {};
  const authorization = new Map(usual).get('authorization');
  const proof = await proofOf(`${ownPlatform().baseUrl}${target}`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
    body: body && new Uint8Array(body),
  });
  const headers = [...usual, ...Object.entries({ ...signature, ...proof }), ...plan.headers];
  return { method, target, headers, body, isChunked: plan.isChunked };
}

function targetOf(plan: Plan, { operation, golden, known }: Around): string {
  const own = pathValues(operation, golden);
  const lookUp = known.lookUp.bind(known);
  const write = ({ value, isRaw }: Written): string => {
    const found = withKnown(value, lookUp);
    const text = typeof found === 'string' ? found : (JSON.stringify(found) ?? '');
    return isRaw ? text : encodeURIComponent(text.toWellFormed());
  };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const given = plan.path[name];
    return given ? write(given) : (own[name] ?? '');
  });
  const [, ownQuery] = golden.path.split('?');
  const given = plan.query
    ?.map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${write(value)}`)
    .join('&');
  const query = given ?? ownQuery;
  const isAsked = query !== undefined && query !== '';
  return `${path}${plan.suffix}${isAsked ? `?${query}` : ''}`;
}

function credentialsOf(who: Who, { golden: { token }, principals }: Around): [string, string][] {
  const bearer = (text: string): [string, string] => ['authorization', `Bearer ${text}`];
  const inHeader = (text: string): [string, string] => ['x-api-key', text];
  const other = (pick: number): string => principals[pick % principals.length] ?? '';
  switch (who.kind) {
    case 'own':
      return token === undefined ? [] : [bearer(token)];
    case 'own-in-header':
      return token === undefined ? [] : [inHeader(token)];
    case 'two':
      return [bearer(token ?? other(0)), inHeader(other(1))];
    case 'other':
      return [who.inHeader ? inHeader(other(who.pick)) : bearer(other(who.pick))];
    case 'text':
      return [['authorization', who.authorization]];
    case 'none':
      return [];
  }
}

function bodyOf({ body, spelling }: Plan, { golden, known }: Around): Buffer | null {
  if (body.kind === 'none') return null;
  if (body.kind === 'bytes') return Buffer.from(body.bytes);
  if (body.kind === 'text') return Buffer.from(body.text);
  if (golden.raw !== undefined && body.kind === 'own') return Buffer.from(golden.raw);
  const value = valueOf(body, golden, known);
  return value === undefined ? null : spell(JSON.stringify(value) ?? '', spelling);
}

function valueOf(
  body: Extract<BodyPlan, { kind: 'own' | 'value' | 'none' }>,
  golden: Golden,
  known: Known,
): unknown {
  if (body.kind !== 'value') return golden.body;
  const value = withKnown(body.value, known.lookUp.bind(known));
  const areMembers = [value, golden.body].every((one) => typeof one === 'object' && one !== null);
  if (!body.isOver || !areMembers || Array.isArray(value)) return value;
  return { ...(golden.body as object), ...(value as object) };
}

/** The target of requests, over kept-alive connections. */
export interface Line {
  readonly origin: string;
  readonly agent: Agent;
}

/**
 * Sends a request as it is, and repeats it when a kept-alive connection was just closed. Throws
 * when there is no complete answer in time, or when it cannot be written at all.
 */
export async function send(line: Line, wire: Wire): Promise<Answered> {
  for (;;) {
    const kept = { isReused: false };
    try {
      return await sendOnce(line, wire, kept);
    } catch (error) {
      const { code } = Object(error) as { code?: string };
      if (!kept.isReused || code !== 'ECONNRESET') throw error;
    }
  }
}

function sendOnce(
  { origin, agent }: Line,
  wire: Wire,
  kept: { isReused: boolean },
): Promise<Answered> {
  const began = performance.now();
  const { method, target: path, body } = wire;
  const { hostname, port, host } = new URL(origin);
  const headers = ['host', host, ...framing(wire), ...wire.headers.flat()];
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path, headers, timeout: noAnswerMs });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', (error) => {
      kept.isReused = outgoing.reusedSocket;
      reject(error);
    });
    outgoing.once('response', (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const whole = (text: string): Answered => ({
        status,
        headers,
        text,
        tookMs: performance.now() - began,
      });
      textOf(answer).then((text) => resolve(whole(text)), reject);
    });
    outgoing.end(body ?? undefined);
  });
}

/** Returns the header for the length of the body, because Node adds none to a raw header list. */
function framing({ method, body, isChunked }: Wire): string[] {
  if (body && isChunked) return ['transfer-encoding', 'chunked'];
  if (body) return ['content-length', String(body.length)];
  return method.startsWith('P') ? ['content-length', '0'] : [];
}

/** Formats the request as a shell command. */
export function curlOf(origin: string, { method, target, headers, body, isChunked }: Wire): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const words = [
    'curl -sS -i --path-as-is',
    `-X ${method}`,
    quote(`${origin}${target}`),
    ...headers.map(
      ([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(isChunked ? ["-H 'transfer-encoding: chunked'"] : []),
  ];
  if (!body) return words.join(' ');
  const text = body.toString();
  const isText = Buffer.from(text).equals(body) && !text.includes('\0') && text.length < 4_000;
  if (isText) return [...words, `--data-raw ${quote(text)}`].join(' ');
  const base64 = body.length < 4_000 ? body.toString('base64') : `<${body.length} bytes>`;
  return [`echo ${base64} | base64 -d |`, ...words, '--data-binary @-'].join(' ');
}
