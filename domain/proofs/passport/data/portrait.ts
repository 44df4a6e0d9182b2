import { MalformedDer } from '../../../pki/read-der.ts';
import { faceOf } from './face.ts';

/** Returns the portrait in EF.DG2, JPEG or JPEG 2000; null if there is none. */
export function portraitOf(dg2: Uint8Array | undefined): Uint8Array | null {
  if (!dg2) return null;
  try {
    return faceOf(dg2).image;
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}
