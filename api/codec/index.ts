import type { Payload, PayloadCodec } from '@temporalio/common';
import { UnknownKey } from '../../activities/runtime/codec/codec.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { family, handler, type CallFacts } from '../http/contract.ts';
import { codecContracts } from './contract.ts';

type CodecDeps = Pick<Deps, 'temporal' | 'settings' | 'telemetry'>;
interface Wire {
  metadata?: Record<string, string> | undefined;
  data?: string | undefined;
}

const decode = handler(codecContracts.decode)(async (input, deps: CodecDeps) => {
  checkOperator(deps, input.call);
  const opened = await open(codecOf(deps), input.body.payloads.map(fromWire));
  return { status: 200, body: { payloads: opened.map(toWire) } };
});

const encode = handler(codecContracts.encode)(async (input, deps: CodecDeps) => {
  checkOperator(deps, input.call);
  const sealed = await codecOf(deps).encode(input.body.payloads.map(fromWire));
  return { status: 200, body: { payloads: sealed.map(toWire) } };
});

/** Maps a payload that is changed, cut, or sealed with another key to a failure of the request. */
async function open(codecOfClient: PayloadCodec, payloads: Payload[]): Promise<Payload[]> {
  try {
    return await codecOfClient.decode(payloads);
  } catch (cause) {
    // The detail names the missing key, which an operator can add.
    const detail = cause instanceof UnknownKey ? { detail: cause.message } : {};
    throw new Failure('payload_unreadable', { cause, ...detail });
  }
}

/**
 * Admits the local UI by its origin in development. All other callers need an operator's token.
 * Both are logged.
 * @throws Failure `credential_invalid`
 */
function checkOperator(deps: CodecDeps, call: CallFacts): void {
  const { isCodecOperator, isDevelopment, temporalUiOrigins } = deps.settings;
  const offered = call.header('x-operator-token') ?? '';
  const isLocalUi = isDevelopment && temporalUiOrigins.includes(call.header('origin') ?? '');
  const isOperator = isCodecOperator(offered);
  if (!isLocalUi && !isOperator) throw new Failure('credential_invalid');
  deps.telemetry.log.info({ request_id: call.requestId, operator: isOperator }, 'payloads opened');
}

function codecOf({ temporal }: CodecDeps): PayloadCodec {
  const [codec] = temporal.client.options.loadedDataConverter.payloadCodecs;
  if (!codec) throw new Error('the client has no codec');
  return codec;
}

function fromWire({ metadata, data }: Wire): Payload {
  const entries = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(
      entries.map(([name, value]) => [name, Buffer.from(value, 'base64')]),
    ),
    data: Buffer.from(data ?? '', 'base64'),
  };
}

function toWire({ metadata, data }: Payload) {
  const entries = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(
      entries.map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(data ?? []).toString('base64'),
  };
}

export const codec = family('codec', codecContracts, { decode, encode });
