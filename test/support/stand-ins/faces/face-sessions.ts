import { randomUUID } from 'node:crypto';
import type { ProviderAnswer, ProviderRequest } from '../provider.ts';

/** What became of a session, as whoever stands in for a person says. */
export interface FaceEnd {
  readonly status: 'pending' | 'succeeded' | 'failed' | 'expired';
  readonly confidence?: number | null;
  /** The picture of the session: JPEG or PNG; null for none. */
  readonly reference?: Uint8Array | null;
  /** Of the portrait it is compared with; null for a portrait that shows no face. */
  readonly similarity?: number | null;
}

export interface FaceSession {
  readonly id: string;
  readonly key: string;
  end: FaceEnd;
  /** What was sent to be compared. */
  portrait: Uint8Array | null;
}

/** A JPEG by its first bytes: nobody decodes what a provider gives. */
export const referencePicture = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  Buffer.from('the picture of the session'),
]);

/** The sessions of a provider that stands in: one for a key. */
export class FaceSessions {
  readonly #byId = new Map<string, FaceSession>();

  /** The same for the same key. */
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
   * For tests of other processes: `PUT /stand-in/{id}` says what became of a session, and answers
   * what was sent to be compared (base64). Null for every other request.
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
