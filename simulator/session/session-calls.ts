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
  /** Makes a new phone to replace a saved one that the platform does not know. */
  readonly newDevice?: (() => Device) | undefined;
  readonly fail?: PhoneFailure | undefined;
  /**
   * Document in front of the camera. Default: a passport, or a document that can have the failure.
   */
  readonly document?: ShownDocument | undefined;
  readonly say: (line: string) => void;
  /** Replaces the way in which apps call the service. */
  readonly call?: Call;
  /** Replaces the clock for the waits of a slow phone. */
  readonly waitUntil?: (at: Date) => Promise<void>;
  /**
   * Called with the phone after it signs and before the request is sent, so that the saved counter
   * is never too low.
   */
  readonly keep?: (device: Device) => Promise<void>;
}

export interface PhoneSession {
  /** Signs with the key to which `token` is bound. */
  readonly call: Call;
  readonly id: string;
  readonly token: string;
  readonly options: PhoneCheckOptions;
  /** True if this phone began the session, so that canceling it affects no other client. */
  readonly isOwn: boolean;
  /** Required proofs. */
  readonly asked: readonly string[];
  /** Requested claims. */
  readonly claims: readonly string[];
  /** Phone that signs proofs instead of the paired one. */
  readonly signer?: Device | undefined;
}

/** Sends one call of the session. The phone signs it if it has side effects. */
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

/** Returns a new idempotency key. */
export const newKey = (): string => randomBytes(16).toString('hex');
