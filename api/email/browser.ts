const lifeSeconds = 600;

/** RFC 6265bis §4.1.3.2: `__Host-` holds a cookie to this very origin, where that has TLS. */
const nameAt = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-trustcheck-email' : 'trustcheck-email';

/** The cookie by which the browser that asked for a mail is known when the mail is opened. */
export function browserCookie(baseUrl: string, value: string): string {
  const secure = baseUrl.startsWith('https:') ? ['Secure'] : [];
  return [
    `${nameAt(baseUrl)}=${value}`,
    'Path=/',
    `Max-Age=${lifeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...secure,
  ].join('; ');
}

/** Its value in a request; null where there is none, or more than one. */
export function readBrowserCookie(baseUrl: string, header: string | undefined): string | null {
  const name = `${nameAt(baseUrl)}=`;
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name));
  const [only, another] = found;
  if (only === undefined || another !== undefined) return null;
  const value = only.slice(name.length);
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null;
}
