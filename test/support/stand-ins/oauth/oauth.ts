import type { ProviderAnswer, ProviderRequest } from '../provider.ts';
import type { IssuerClient } from './issuer.ts';

/** An error answer (RFC 6749 §5.2). */
export const refused = (error: string, why?: string): ProviderAnswer => ({
  status: 400,
  body: { error, error_description: why },
});

/**
 * Returns the client error in an answer, if any. `invalid_grant` is none: others can end a grant.
 */
export function tripped({ path }: ProviderRequest, { status, body }: ProviderAnswer): string[] {
  const { error } = Object(body) as { error?: unknown };
  const isOurs = (status === 400 && error !== 'invalid_grant') || status === 401;
  return isOurs ? [`${path}: ${String(error)}`] : [];
}

/** Requires a form with client authentication, and each member once (RFC 6749 §2.3.1 and §3.2). */
export function authenticated(
  { clientId, clientSecret }: IssuerClient,
  { headers, body }: ProviderRequest,
  answer: (form: URLSearchParams) => ProviderAnswer,
): ProviderAnswer {
  const [scheme, credential = ''] = String(headers.authorization).split(' ');
  const given = Buffer.from(credential, 'base64').toString().split(':').map(unescaped);
  if (scheme !== 'Basic' || given.join('\n') !== [clientId, clientSecret].join('\n')) {
    const challenge = { 'WWW-Authenticate': 'Basic realm="a provider"' };
    return { status: 401, headers: challenge, body: { error: 'invalid_client' } };
  }
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return refused('invalid_request', 'content-type');
  }
  const form = new URLSearchParams(body.toString());
  if (new Set(form.keys()).size !== [...form].length) return refused('invalid_request', 'twice');
  if (form.has('client_secret')) return refused('invalid_request', 'two authentications');
  return answer(form);
}

const unescaped = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
