import { randomUUID } from 'node:crypto';
import type { ProviderAnswer, ProviderRequest } from '../provider.ts';

/** The result of a session, which a test sets in place of a person. */
export interface FaceEnd {
  readonly status: 'pending' | 'succeeded' | 'failed' | 'expired';
  readonly confidence?: number | null;
  /** The picture of the session: JPEG or PNG; null for none. */
  readonly reference?: Uint8Array | null;
  /** Similarity to the portrait; null if the portrait shows no face. */
  readonly similarity?: number | null;
}

export interface FaceSession {
  readonly id: string;
  readonly key: string;
  end: FaceEnd;
  /** The picture submitted for comparison. */
  portrait: Uint8Array | null;
}

/** Starts like a JPEG. The tests never decode a provider's picture. */
export const referencePicture = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  Buffer.from('the picture of the session'),
]);

/** The sessions of a stand-in provider: one per key. */
export class FaceSessions {
  readonly #byId = new Map<string, FaceSession>();

  /** Returns the same session for the same key. */
  begin(key: string): FaceSession {
    const known = [...this.#byId.values()].find((session) => session.key === key);
    if (known) return known;
    const session = { id: randomUUID(), key, end: { status: 'pending' as const }, portrait: null };
    this.#byId.set(session.id, session);
    return session;
  }

  find(id: unknown): FaceSession | null {
    return (typeof id === 'string' && this.#byId.get(id)) || null;
  }

  must(id: string): FaceSession {
    const session = this.find(id);
    if (!session) throw new Error('no such session');
    return session;
  }

  /**
   * Serves tests in other processes: `PUT /stand-in/{id}` sets the result of a session, and returns
   * the picture submitted for comparison (base64). Null for every other request.
   */
  control({ method, path, body }: ProviderRequest): ProviderAnswer | null {
    const [, id] = /^\/stand-in\/([0-9a-f-]{36})$/.exec(path) ?? [];
    if (method !== 'PUT' || id === undefined) return null;
    const session = this.must(id);
    const { isPictured, ...end } = JSON.parse(body.toString());
    session.end = { ...end, reference: isPictured ? referencePicture : null };
    const portrait = session.portrait && Buffer.from(session.portrait).toString('base64');
    return { status: 200, body: { portrait, key: session.key } };
  }
}
