import { call, type Session } from '../http/client.ts';

export interface Frame {
  readonly image: string;
  readonly at_ms: number;
  readonly action: number;
}

/** Uploads an evidence file. Returns its id. */
export async function upload(
  { id, token }: Pick<Session, 'id' | 'token'>,
  name: string,
  raw: Uint8Array | string,
): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream' };
  const path = `/v2/trust-checks/${id}/evidence/${name}`;
  return String((await call('PUT', path, { token, raw, headers })).body['evidence_id']);
}

/** Returns `count` frames that show nothing. */
export function framesOf(session: Session, count = 8): Promise<Frame[]> {
  const frames = Array.from({ length: count }, async (_, index) => {
    const image = await upload(session, `frame-${index}`, `frame ${index}`);
    return { image, at_ms: index * 500, action: -1 };
  });
  return Promise.all(frames);
}
