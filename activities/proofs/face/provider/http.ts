import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Ids } from '../../../../db/ids.ts';
import {
  answerLengthMax,
  sessionName,
  type LivenessProvider,
  type ProviderAnswer,
} from '../../../../domain/proofs/face/provider-session.ts';
import { jsonOf } from '../../../../domain/proofs/json-of.ts';
import { postToVendor } from '../../../vendors/post-to-vendor.ts';
import { providerDown } from '../../../vendors/provider.ts';

export interface HttpProviderOptions {
  readonly url: string;
  /** `whsec_…`, for requests and responses. */
  readonly secret: string;
  readonly ids: Pick<Ids, 'make'>;
  readonly clock: () => Date;
  readonly timeoutMs?: number | undefined;
}

const name = 'face provider';
const timeoutMsUsual = 8_000;
/** Maximum difference between its clock and ours, as in Standard Webhooks. */
const apartMsMax = 5 * 60_000;
const clientMembersMax = 20;
const resultMembers = 'operation session_id key status confidence reference_image'.split(' ');
const comparisonMembers = ['operation', 'session_id', 'similarity'];

const record = z.record(z.string(), z.unknown());
const begun = z.object({
  operation: z.literal('begin'),
  key: z.string(),
  session_id: sessionName,
  client: z
    .record(z.string().max(64), z.string().max(4096))
    .refine((members) => Object.keys(members).length <= clientMembersMax),
});

/**
 * Creates a provider for the protocol of docs/protocols/face-provider.md, which can front any
 * vendor. Operations are posted to one URL and signed like our webhooks. Responses are signed in
 * the same way, with the id of their request.
 */
export function createHttpProvider(options: HttpProviderOptions): LivenessProvider {
  return {
    async begin(key) {
      const { data } = begun.safeParse(await ask(options, { operation: 'begin', key }));
      if (data?.key !== key) throw providerDown(name, 200);
      return { session: data.session_id, client: data.client };
    },
    async result(session_id, key) {
      const answer = await ask(options, { operation: 'result', session_id, key });
      return answer['status'] === 'unknown' ? null : only(answer, resultMembers);
    },
    async compare({ session: session_id, key, portrait }) {
      const image = Buffer.from(portrait).toString('base64');
      const asked = { operation: 'compare', session_id, key, portrait: image };
      return only(await ask(options, asked), comparisonMembers);
    },
  };
}

/** Drops other members of the answer: they could not be found again to remove personal data. */
const only = (answer: ProviderAnswer, names: readonly string[]): ProviderAnswer =>
  Object.fromEntries(names.flatMap((name) => (name in answer ? [[name, answer[name]]] : [])));

async function ask(
  { url, secret, ids, clock, timeoutMs = timeoutMsUsual }: HttpProviderOptions,
  asked: Readonly<Record<string, string>>,
): Promise<ProviderAnswer> {
  const id = ids.make('ask');
  const now = clock();
  const body = JSON.stringify(asked);
  const webhook = new Webhook(secret);
  const answer = await postToVendor(
    name,
    url,
    timeoutMs,
    {
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': webhook.sign(id, now, body),
      },
      body,
    },
    answerLengthMax,
  );
  const { status, headers, text } = answer;
  const isSigned = headers['webhook-id'] === id && isSignedBy(webhook, answer, clock());
  const { data } = record.safeParse(status === 200 && isSigned ? jsonOf(text) : null);
  if (!data) throw providerDown(name, status, headers);
  return data;
}

/** Reports whether a signature is the provider's, with a recent timestamp. */
function isSignedBy(
  webhook: Webhook,
  { headers, text }: Awaited<ReturnType<typeof postToVendor>>,
  now: Date,
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '' } = headers;
  if (!/^\d{1,12}$/.test(seconds)) return false;
  const at = new Date(Number(seconds) * 1000);
  if (!(Math.abs(now.getTime() - at.getTime()) <= apartMsMax)) return false;
  const expected = Buffer.from(webhook.sign(id, at, text));
  const given = (headers['webhook-signature'] ?? '')
    .split(' ')
    .slice(0, 5)
    .map((one) => Buffer.from(one));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
