import { request } from 'undici';
import type { LogoRefusal } from '../../../workflows/logo-fetch/messages.ts';
import { deadline, throwIfCanceled } from '../../runtime/cancellation.ts';
import { isRefusal, assertAllowedUrl } from '../../vendors/guard.ts';
import { createGuardedAgent } from '../../vendors/guarded-agent.ts';

const logoBytesMax = 1024 * 1024;
const downloadMsMax = 5_000;

/**
 * Downloads an image under the same rules as webhooks: public addresses only, no redirects. Returns
 * its bytes, or the reason for the refusal.
 * @param allowPrivate whether loopback and private addresses are allowed; only in development
 */
export async function downloadLogo(
  url: string,
  allowPrivate: boolean,
): Promise<Uint8Array | LogoRefusal> {
  const dispatcher = createGuardedAgent(allowPrivate);
  try {
    assertAllowedUrl(url, allowPrivate);
    const { statusCode, body } = await request(url, {
      dispatcher,
      headers: { accept: 'image/png, image/jpeg, image/webp', 'user-agent': 'trustcheck-logos/1' },
      headersTimeout: downloadMsMax,
      bodyTimeout: downloadMsMax,
      // A timeout on silence would never end a response that comes byte by byte.
      signal: deadline(downloadMsMax),
    });
    if (statusCode >= 300 && statusCode < 400) return 'redirected';
    return statusCode === 200 ? await bounded(body) : 'unreachable';
  } catch (error) {
    throwIfCanceled();
    return isRefusal(error) ? 'forbidden' : 'unreachable';
  } finally {
    await dispatcher.destroy();
  }
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | LogoRefusal> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of body) {
    sizeBytes += part.length;
    if (sizeBytes > logoBytesMax) return 'too_large';
    parts.push(part);
  }
  return Buffer.concat(parts);
}
