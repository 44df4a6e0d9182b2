import { randomBytes } from 'node:crypto';
import type { Device } from '../device/device.ts';
import type { PhoneFailure } from '../failures/failures.ts';
import type { ShownDocument } from '../failures/shown-document.ts';
import type { DevTrust } from '../roots/dev-trust.ts';
import type { Call } from './client.ts';

export interface PhoneCheckOptions {
  readonly link: string;
  readonly number: string;
  readonly trust: DevTrust;
  readonly device: Device;
  /**
   * Makes the phone that takes the place of one kept from earlier, where the platform is another.
   */
  readonly newDevice?: (() => Device) | undefined;
  readonly fail?: PhoneFailure | undefined;
  /** What is held before the camera; a passport, or what can be wrong so, unless it is said. */
  readonly document?: ShownDocument | undefined;
  readonly say: (line: string) => void;
  /** How the service is called, when not as apps do it. */
  readonly call?: Call;
  /** How a slow phone waits, when not by the clock. */
  readonly waitUntil?: (at: Date) => Promise<void>;
  /** Called with the phone once it has signed, before that is sent: its counter is never behind. */
  readonly keep?: (device: Device) => Promise<void>;
}

export interface PhoneSession {
  /** Signs with the key to which `token` is bound. */
  readonly call: Call;
  readonly id: string;
  readonly token: string;
  readonly options: PhoneCheckOptions;
  /** Whether this phone began the session itself, so that it holds the link for nobody else. */
  readonly isOwn: boolean;
  /** The proofs that are asked for. */
  readonly asked: readonly string[];
  /** The claims that are asked for. */
  readonly claims: readonly string[];
  /** The phone that signs proofs in place of the paired one. */
  readonly signer?: Device | undefined;
}

/** One call about the session, signed by the phone where it is one that changes something. */
export async function post<T>(running: PhoneSession, name: string, body: unknown): Promise<T> {
  const { call, id, token, options } = running;
  const { keep } = options;
  const isProof = name.startsWith('proofs/');
  const isSigned = name === 'pair' || isProof;
  const device = (isProof && running.signer) || options.device;
  return call<T>('POST', `/v2/trust-checks/${id}/${name}`, {
    body,
    token,
    idempotencyKey: newKey(),
    ...(isSigned ? { device, onSigned: async () => keep?.(options.device) } : {}),
  });
}

/** An idempotency key of its own for each call. */
export const newKey = (): string => randomBytes(16).toString('hex');
