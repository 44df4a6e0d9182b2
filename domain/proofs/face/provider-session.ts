import { z } from 'zod';
import type { FaceProvider } from '../../names.ts';

/** A session that a client continues with the provider. */
export interface BegunSession {
  readonly session: string;
  /** Further values that the provider's client needs, by its names. */
  readonly client: Readonly<Record<string, string>>;
}

/** A provider's answer about one session. It is stored unchanged and parsed elsewhere. */
export type ProviderAnswer = Readonly<Record<string, unknown>>;

/**
 * A provider that judges a face for us. Every call throws `dependency_unavailable` if there is no
 * usable answer; the cause never contains data that was sent or received.
 */
export interface LivenessProvider {
  /**
   * Starts a session that lives for three minutes.
   * @param key idempotency key: another call with it returns the same session
   */
  begin(key: string): Promise<BegunSession>;
  /**
   * Returns the result of a session; null if the provider does not know it, or does not anymore.
   */
  result(session: string, key: string): Promise<ProviderAnswer | null>;
  /** Compares the person of a session with a portrait (JPEG). */
  compare(asked: Comparison): Promise<ProviderAnswer>;
}

export interface Comparison {
  readonly session: string;
  readonly key: string;
  /** The picture that the provider returned for the session. */
  readonly reference: Uint8Array;
  readonly portrait: Uint8Array;
}

/** The configured providers. */
export type LivenessProviders = Readonly<Partial<Record<FaceProvider, LivenessProvider>>>;

/** Counted from the start of a session. */
export const providerSessionLifeMs = 3 * 60_000;
export const sessionLengthMax = 200;
/** The name of a session from any source, in a form that every store accepts. */
export const sessionName = z
  .string()
  .min(1)
  .max(sessionLengthMax)
  .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name));
/** Fits a base64 picture of a face and the result. */
export const answerLengthMax = 6 * 1024 * 1024;
