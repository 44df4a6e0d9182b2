import type * as sdk from '@aws-sdk/client-rekognition';
import { z } from 'zod';
import { rekognitionRefusals } from '../../../../domain/proofs/face/provider-answers.ts';
import {
  answerLengthMax,
  type LivenessProvider,
  type ProviderAnswer,
} from '../../../../domain/proofs/face/provider-session.ts';
import { jsonOf } from '../../../../domain/proofs/json-of.ts';
import { deadline } from '../../../runtime/cancellation.ts';
import { providerDown, within } from '../../../vendors/provider.ts';

export interface RekognitionOptions {
  readonly region: string;
  /** By default the AWS client finds credentials: a role of the machine, as AWS recommends. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Endpoint of the provider, if not the public one. */
  readonly url?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

interface Connected {
  readonly sdk: typeof sdk;
  readonly client: sdk.RekognitionClient;
  /** The raw response to each input. */
  readonly came: WeakMap<object, Came>;
}
interface Came {
  readonly body: unknown;
  readonly status: number | undefined;
}

const name = 'rekognition';
const timeoutMsUsual = 8_000;
const attemptsMax = 2;

const begun = z.object({ SessionId: z.uuid() });
const record = z.record(z.string(), z.unknown());

/**
 * Creates a provider that uses Amazon Rekognition. The AWS client is loaded at first use. The key
 * of a session is its `ClientRequestToken`. Of the session's images only the one for the comparison
 * is requested.
 */
export function createRekognition(options: RekognitionOptions): LivenessProvider {
  const { timeoutMs = timeoutMsUsual } = options;
  let connected: Promise<Connected> | null = null;
  const ask = async (
    input: object,
    send: (on: Connected, bound: { abortSignal: AbortSignal }) => Promise<unknown>,
  ): Promise<Answer> => {
    connected ??= connect(options, timeoutMs);
    const on = await connected;
    const bound = { abortSignal: deadline(timeoutMs) };
    return answerOf(on, input, within(timeoutMs, send(on, bound)));
  };
  return {
    async begin(key) {
      const input = { ClientRequestToken: key, Settings: { AuditImagesLimit: 0 } };
      const { fault, body, status } = await ask(input, ({ sdk, client }, bound) =>
        client.send(new sdk.CreateFaceLivenessSessionCommand(input), bound),
      );
      const { data } = begun.safeParse(body);
      if (fault !== null || !data) throw down(fault, status);
      return { session: data.SessionId, client: { region: options.region } };
    },
    async result(session) {
      const input = { SessionId: session };
      const { fault, body, status } = await ask(input, ({ sdk, client }, bound) =>
        client.send(new sdk.GetFaceLivenessSessionResultsCommand(input), bound),
      );
      if (fault === 'SessionNotFoundException') return null;
      if (fault !== null) throw down(fault, status);
      return body;
    },
    async compare({ reference, portrait }) {
      const input = {
        SourceImage: { Bytes: portrait },
        TargetImage: { Bytes: reference },
        SimilarityThreshold: 0,
      };
      const { fault, body, status } = await ask(input, ({ sdk, client }, bound) =>
        client.send(new sdk.CompareFacesCommand(input), bound),
      );
      if (fault === null) return body;
      // A refusal to compare is an answer too.
      if (rekognitionRefusals.some((refusal) => refusal === fault)) return { __type: fault };
      throw down(fault, status);
    },
  };
}

async function connect(
  { region, credentials, url }: RekognitionOptions,
  timeoutMs: number,
): Promise<Connected> {
  const sdk = await import('@aws-sdk/client-rekognition');
  const client = new sdk.RekognitionClient({
    region,
    maxAttempts: attemptsMax,
    requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    ...(credentials ? { credentials } : {}),
    ...(url === undefined ? {} : { endpoint: url }),
  });
  const came = new WeakMap<object, Came>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response: { statusCode?: number; body?: unknown } = Object(result.response);
      const bytes = await readBody(response.body);
      came.set(args.input, { body: jsonOf(bytes.toString('utf8')), status: response.statusCode });
      response.body = bytes;
      return result;
    },
    // Runs before the client parses the body, so that the raw response is kept.
    { step: 'deserialize', priority: 'low', name: 'keepBody' },
  );
  return { sdk, client, came };
}

interface Answer {
  /** Name of the exception; null for a success. */
  readonly fault: string | null;
  readonly status: number | undefined;
  readonly body: ProviderAnswer;
}

/** The client's message can quote the request, so it is not passed on. */
async function answerOf(
  { came }: Connected,
  input: object,
  sent: Promise<unknown>,
): Promise<Answer> {
  let fault: string | null = null;
  try {
    await sent;
  } catch (error) {
    const isNamed = error instanceof Error && '$fault' in error;
    if (!isNamed) throw providerDown(name, undefined);
    fault = error.name;
  }
  const { body, status } = came.get(input) ?? {};
  const { data } = record.safeParse(body);
  if (!data) throw providerDown(name, status);
  return { fault, status, body: data };
}

const throttled = new Set(['ThrottlingException', 'ProvisionedThroughputExceededException']);

const down = (fault: string | null, status: number | undefined) =>
  providerDown(
    `${name}, ${/^\w{1,60}$/.test(fault ?? '') ? fault : 'no answer'}`,
    fault !== null && throttled.has(fault) ? 429 : status,
  );

/** @throws Error when the body is longer than any valid answer */
async function readBody(body: unknown): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    parts.push(Buffer.from(part));
    sizeBytes += part.length;
    if (sizeBytes > answerLengthMax) throw new Error('too long');
  }
  return Buffer.concat(parts);
}
