import { blankImage } from '../../../domain/images/blank-image.ts';
import { isDecodedImage } from '../../../domain/images/media-type.ts';
import type { LogoAnswer, LogoRequest } from '../../../workflows/logo-fetch/messages.ts';
import type { takeLogo } from '../../proofs/images/take-image.ts';
import { createPlaces, type Places } from '../../runtime/places.ts';
import { unlessLostAgain } from '../../runtime/threads/lost-again.ts';
import { downloadLogo } from './download.ts';

export interface LogoActivities {
  /** Downloads an image and encodes it as a PNG of ours. */
  fetchLogo(request: LogoRequest): Promise<LogoAnswer>;
}

export interface LogoDeps {
  readonly heavy: { readonly takeLogo: typeof takeLogo };
  /** Loopback and private addresses are reached in development only. */
  readonly allowPrivate: boolean;
}

/** Downloads of one worker at a time: servers that answer slowly hold up no other work. */
const downloadPlaces = { most: 12, mostOfAccount: 4, retryAfterSeconds: 1 };

export function createLogoActivities(deps: LogoDeps): LogoActivities {
  const places = createPlaces(downloadPlaces);
  return { fetchLogo: (request) => fetchLogo(deps, places, request) };
}

async function fetchLogo(
  { heavy, allowPrivate }: LogoDeps,
  places: Places,
  { account_id, url }: LogoRequest,
): Promise<LogoAnswer> {
  const leave = places.take(account_id);
  const image = await downloadLogo(url, allowPrivate).finally(leave);
  if (typeof image === 'string') return { refusal: image };
  if (!isDecodedImage(image)) return { refusal: 'wrong_type' };
  const png = await unlessLostAgain(
    () => heavy.takeLogo(image),
    () => heavy.takeLogo(blankImage),
  );
  return png ? { png: Buffer.from(png).toString('base64') } : { refusal: 'unreadable' };
}
