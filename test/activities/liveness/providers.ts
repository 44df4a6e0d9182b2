import { createHttpProvider } from '../../../activities/proofs/face/provider/http.ts';
import { createRekognition } from '../../../activities/proofs/face/provider/rekognition.ts';
import { randomIds } from '../../../db/ids.ts';
import type { FaceProvider } from '../../../domain/names.ts';
import type { LivenessProvider } from '../../../domain/proofs/face/provider-session.ts';
import { facePath, faceProviderSecret, startFaceProvider } from '../../stand-ins/face-provider.ts';
import type { FaceSessions } from '../../stand-ins/face-sessions.ts';
import type { Provider } from '../../stand-ins/provider.ts';
import { rekognitionAccount, startRekognition } from '../../stand-ins/rekognition.ts';

/** A provider that stands in, and ours for it. */
export interface Standing {
  readonly standIn: Provider & { readonly sessions: FaceSessions };
  readonly provider: LivenessProvider;
  /** Ours with a credential that is not good there. */
  readonly stranger: LivenessProvider;
}

const clock = (): Date => new Date();

/** Long enough for a machine with other work, unless it is about a silence. */
export async function standing(name: FaceProvider, timeoutMs?: number): Promise<Standing> {
  if (name === 'http') {
    const standIn = await startFaceProvider(clock);
    const usual = { url: `${standIn.url}${facePath}`, ids: randomIds, clock, timeoutMs };
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    return {
      standIn,
      provider: createHttpProvider({ ...usual, secret: faceProviderSecret }),
      stranger: createHttpProvider({ ...usual, secret: other }),
    };
  }
  const standIn = await startRekognition(clock);
  const { region, ...credentials } = rekognitionAccount;
  const usual = { region, url: standIn.url, timeoutMs };
  return {
    standIn,
    provider: createRekognition({ ...usual, credentials }),
    stranger: createRekognition({
      ...usual,
      credentials: { ...credentials, secretAccessKey: 'another' },
    }),
  };
}
