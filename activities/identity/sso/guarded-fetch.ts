import type { CustomFetch } from 'openid-client';
import { Failure } from '../../../workflows/failures.ts';
import { deadline } from '../../runtime/cancellation.ts';
import { assertAllowedUrl } from '../../vendors/guard.ts';
import { providerDown } from '../../vendors/provider.ts';

const answerMsMax = 3_000;
const answerBytesMax = 512 * 1024;
/** Statuses of a server that cannot answer now (RFC 9110 §15). */
const passing = new Set([408, 425, 429]);

/** Name of a provider in its errors. */
export const ssoProviderName = 'sign-in provider';

/**
 * Returns a fetch for sign-in providers, under the same rules as webhooks: public addresses only,
 * no redirects, JSON only, three seconds and half a MiB per response. It throws
 * `dependency_unavailable` for a failed request; the caller interprets other statuses.
 * @param allowPrivate whether loopback and private addresses are allowed; only in development
 */
export function createGuardedFetch(allowPrivate: boolean): CustomFetch {
  return async (url, { method, headers, body }) => {
    const { createGuardedAgent, request } = await guarded();
    const agent = createGuardedAgent(allowPrivate);
    try {
      assertAllowedUrl(url, allowPrivate);
      const answer = await request(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...headers, 'user-agent': 'trustcheck-sign-in/1' },
        body: body instanceof URLSearchParams ? body.toString() : null,
        dispatcher: agent,
        headersTimeout: answerMsMax,
        bodyTimeout: answerMsMax,
        // A timeout on silence would never end a response that comes byte by byte.
        signal: deadline(answerMsMax),
      });
      const { statusCode: status } = answer;
      if (status >= 500 || passing.has(status)) {
        throw providerDown(ssoProviderName, status, answer.headers);
      }
      if (status >= 300 && status < 400) throw providerDown(ssoProviderName, status);
      const type = String(answer.headers['content-type'] ?? '');
      const text = await bounded(answer.body);
      // A response without content has no type, such as that to a revocation (RFC 7009 §2.2).
      const contentType =
        status === 200 && text !== '' ? jsonTypeOrThrow(type) : 'application/json';
      const challenge = String(answer.headers['www-authenticate'] ?? '');
      return new Response(text, {
        status,
        headers: {
          'content-type': contentType,
          ...(challenge === '' ? {} : { 'www-authenticate': challenge }),
        },
      });
    } catch (error) {
      throw error instanceof Failure ? error : unanswered(error);
    } finally {
      await agent.destroy();
    }
  };
}

/** Loads the HTTP client with the first request: it has 5 MiB, and most processes never need it. */
async function guarded() {
  const [{ createGuardedAgent }, { request }] = await Promise.all([
    import('../../vendors/guarded-agent.ts'),
    import('undici'),
  ]);
  return { createGuardedAgent, request };
}

function jsonTypeOrThrow(type: string): string {
  if (/^application\/(?:jwk-set\+)?json(?:\s*;|$)/i.test(type)) return 'application/json';
  throw new Error('the answer is not JSON');
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of body) {
    sizeBytes += part.length;
    if (sizeBytes > answerBytesMax) throw new Error('the answer has no end');
    parts.push(part);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
}

/** Logs only the error's code, since a URL can contain a secret. */
function unanswered(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
  const cause = new Error(`${ssoProviderName}: ${code}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 5 });
}
