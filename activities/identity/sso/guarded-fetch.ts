import type { CustomFetch } from 'openid-client';
import { Failure } from '../../../workflows/failures.ts';
import { deadline } from '../../runtime/cancellation.ts';
import { assertAllowedUrl } from '../../vendors/guard.ts';
import { providerDown } from '../../vendors/provider.ts';

const answerMsMax = 3_000;
const answerBytesMax = 512 * 1024;
/** Statuses by which a server says that it cannot answer now (RFC 9110 §15). */
const passing = new Set([408, 425, 429]);

/** The name under which a provider's faults are told. */
export const ssoProviderName = 'sign-in provider';

/**
 * Asks a provider of sign-ins as webhooks are sent: public addresses only, no redirect, JSON alone,
 * three seconds and half a MiB an answer. It throws `dependency_unavailable` for an answer that is
 * none; what others mean is for whoever asked.
 * @param allowPrivate loopback and private addresses are reached in development only
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
        // A timeout on silence never ends an answer that comes byte by byte.
        signal: deadline(answerMsMax),
      });
      const { statusCode: status } = answer;
      if (status >= 500 || passing.has(status)) {
        throw providerDown(ssoProviderName, status, answer.headers);
      }
      if (status >= 300 && status < 400) throw providerDown(ssoProviderName, status);
      const type = String(answer.headers['content-type'] ?? '');
      const text = await bounded(answer.body);
      // What has no content has no type: a revocation is answered so (RFC 7009 §2.2).
      const told = status === 200 && text !== '' ? jsonTypeOrThrow(type) : 'application/json';
      const challenge = String(answer.headers['www-authenticate'] ?? '');
      return new Response(text, {
        status,
        headers: {
          'content-type': told,
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

/** Loaded by the first request: most processes ask no provider, and it is 5 MiB. */
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

/** Of what went wrong the log gets a name alone: an address can be somebody's secret. */
function unanswered(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
  const cause = new Error(`${ssoProviderName}: ${code}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 5 });
}
