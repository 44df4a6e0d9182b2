import { z } from 'zod';
import type { FaceProvider } from '../../names.ts';

/** A session as a client takes it up with the provider. */
export interface BegunSession {
  readonly session: string;
  /** What the client of the provider needs besides, by its names. */
  readonly client: Readonly<Record<string, string>>;
}

/** What a provider says of one session is its word: it is kept as it came, and read elsewhere. */
export type ProviderAnswer = Readonly<Record<string, unknown>>;

/**
 * Somebody who looks at a face in our place. Every call throws `dependency_unavailable` where there
 * is no answer to go by; a cause never holds what was sent or said.
 */
export interface LivenessProvider {
  /**
   * Begins a session that lives for three minutes.
   * @param key names it for good: whoever begins it again gets the same one
   */
  begin(key: string): Promise<BegunSession>;
  /** What became of a session; null where the provider knows none of this name, or no more. */
  result(session: string, key: string): Promise<ProviderAnswer | null>;
  /** How alike who was before the camera is to a portrait (JPEG). */
  compare(asked: Comparison): Promise<ProviderAnswer>;
}

export interface Comparison {
  readonly session: string;
  readonly key: string;
  /** The picture that the provider gave of the session. */
  readonly reference: Uint8Array;
  readonly portrait: Uint8Array;
}

/** Those that are configured. */
export type LivenessProviders = Readonly<Partial<Record<FaceProvider, LivenessProvider>>>;

/** From when a session was begun. */
export const providerSessionLifeMs = 3 * 60_000;
export const sessionLengthMax = 200;
/** A session's name, whoever gave it: what every store takes as it is. */
export const sessionName = z
  .string()
  .min(1)
  .max(sessionLengthMax)
  .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name));
/** A picture of a face in base64, and what is said of it. */
export const answerLengthMax = 6 * 1024 * 1024;
