import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';
import { FaceSessions } from './face-sessions.ts';

export interface FaceProviderStandIn extends Provider {
  readonly sessions: FaceSessions;
  /** Overrides the secret, the id or the time with which the next answer is signed. */
  signNext(how: { readonly secret?: string; readonly id?: string; readonly at?: Date }): void;
  /** Overrides the name of the next session. */
  nameNext(session_id: string): void;
}

export const faceProviderSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
export const facePath = '/faces';

const asked = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('begin'), key: z.string().min(1).max(64) }),
  z.strictObject({ operation: z.literal('result'), session_id: z.string(), key: z.string() }),
  z.strictObject({
    operation: z.literal('compare'),
    session_id: z.string(),
    key: z.string(),
    portrait: z.base64(),
  }),
]);
type Asked = z.output<typeof asked>;

/**
 * A provider as docs/protocols/face-provider.md defines it. It rejects requests that are unsigned,
 * too old or repeated.
 */
export async function startFaceProvider(now: () => Date): Promise<FaceProviderStandIn> {
  const sessions = new FaceSessions();
  const seen = new Set<string>();
  let named: { session_id?: string } = {};
  let odd: Parameters<FaceProviderStandIn['signNext']>[0] = {};
  const provider = await startProvider((request) => {
    const { method, path, headers, body } = request;
    const controlled = sessions.control(request);
    if (controlled) return controlled;
    if (method !== 'POST' || path !== facePath) return { status: 404 };
    const id = String(headers['webhook-id']);
    if (seen.has(id)) return { status: 409 };
    let given: unknown;
    try {
      const named = Object.fromEntries(
        ['id', 'timestamp', 'signature'].map((name) => [
          `webhook-${name}`,
          String(headers[`webhook-${name}`]),
        ]),
      );
      given = new Webhook(faceProviderSecret).verify(body.toString(), named);
    } catch {
      return { status: 401 };
    }
    seen.add(id);
    const { data } = asked.safeParse(given);
    if (!data || headers['content-type'] !== 'application/json') return { status: 400 };
    const said = { ...say(sessions, data), ...named };
    named = {};
    const how = { secret: faceProviderSecret, id, at: now(), ...odd };
    odd = {};
    return signed(JSON.stringify(said), how);
  });
  return {
    ...provider,
    sessions,
    signNext: (how) => void (odd = how),
    nameNext: (session_id) => void (named = { session_id }),
  };
}

function signed(text: string, { secret, id, at }: { secret: string; id: string; at: Date }) {
  const answer: ProviderAnswer = {
    status: 200,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign(id, at, text)}`,
    },
    text,
  };
  return answer;
}

function say(sessions: FaceSessions, given: Asked): object {
  const { operation, key } = given;
  if (operation === 'begin') {
    const { id: session_id } = sessions.begin(key);
    return { operation, key, session_id, client: { page: `https://faces.test/${session_id}` } };
  }
  const { session_id } = given;
  const session = sessions.find(session_id);
  if (session?.key !== key) return { operation, session_id, key, status: 'unknown' };
  const { status, confidence = null, reference = null, similarity = null } = session.end;
  if (operation === 'result') {
    const reference_image = reference && Buffer.from(reference).toString('base64');
    return { operation, session_id, key, status, confidence, reference_image };
  }
  session.portrait = Buffer.from(given.portrait, 'base64');
  return { operation, session_id, similarity };
}

/** The settings that configure this provider. */
export const faceProviderSettings = ({ url }: Pick<Provider, 'url'>) => ({
  FACE_HTTP_URL: `${url}${facePath}`,
  FACE_HTTP_SECRET: faceProviderSecret,
});
