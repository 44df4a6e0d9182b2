/** What a browser is known again for, and how long. */
export interface CookieKind {
  readonly name: string;
  readonly lifeSeconds: number;
}

/** Of the browser that asked for a mail, when the mail is opened. */
export const emailCookie: CookieKind = { name: 'email', lifeSeconds: 600 };
/** Of the browser in which somebody is on their way into a meeting. */
export const joinCookie: CookieKind = { name: 'join', lifeSeconds: 24 * 3600 };

/** Of the browser in which somebody has set out to connect a calendar. */
export const calendarCookie: CookieKind = { name: 'calendar', lifeSeconds: 600 };

/** RFC 6265bis §4.1.3.2: `__Host-` holds a cookie to this very origin, where that has TLS. */
const nameAt = (baseUrl: string, { name }: CookieKind): string =>
  baseUrl.startsWith('https:') ? `__Host-trustcheck-${name}` : `trustcheck-${name}`;

/** A cookie by which a browser is known again; no script reads it. */
export function browserCookie(baseUrl: string, kind: CookieKind, value: string): string {
  const secure = baseUrl.startsWith('https:') ? ['Secure'] : [];
  return [
    `${nameAt(baseUrl, kind)}=${value}`,
    'Path=/',
    `Max-Age=${kind.lifeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...secure,
  ].join('; ');
}

/** Has a browser forget such a cookie. */
export function endedCookie(baseUrl: string, { name }: CookieKind): string {
  return browserCookie(baseUrl, { name, lifeSeconds: 0 }, '');
}

/** Its value in a request; null where there is none, or more than one. */
export function readBrowserCookie(
  baseUrl: string,
  kind: CookieKind,
  header: string | undefined,
): string | null {
  const name = `${nameAt(baseUrl, kind)}=`;
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(name));
  const [only, another] = found;
  if (only === undefined || another !== undefined) return null;
  const value = only.slice(name.length);
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : null;
}
