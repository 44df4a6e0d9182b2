/** A cookie that recognizes a browser within one flow. */
export interface CookieKind {
  readonly name: string;
  readonly lifeSeconds: number;
}

/** Binds an emailed link to the browser that requested it. */
export const emailCookie: CookieKind = { name: 'email', lifeSeconds: 600 };
/** Binds a join session to the browser that opened it. */
export const joinCookie: CookieKind = { name: 'join', lifeSeconds: 24 * 3600 };

/** Binds the connection of a calendar to the browser that started it. */
export const calendarCookie: CookieKind = { name: 'calendar', lifeSeconds: 600 };

/** `__Host-` limits a cookie to this origin, where it has TLS (RFC 6265bis §4.1.3.2). */
const nameAt = (baseUrl: string, { name }: CookieKind): string =>
  baseUrl.startsWith('https:') ? `__Host-trustcheck-${name}` : `trustcheck-${name}`;

/** Returns the `Set-Cookie` value. Scripts cannot read the cookie. */
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

/** Returns the `Set-Cookie` value that deletes the cookie. */
export function endedCookie(baseUrl: string, { name }: CookieKind): string {
  return browserCookie(baseUrl, { name, lifeSeconds: 0 }, '');
}

/** Returns the cookie's value in a request; null where it is absent, malformed or duplicated. */
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
