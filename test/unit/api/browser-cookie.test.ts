import { describe, expect, it } from 'vitest';
import {
  browserCookie,
  calendarCookie,
  emailCookie,
  endedCookie,
  joinCookie,
  readBrowserCookie,
} from '../../../api/http/server/browser-cookie.ts';

const value = 'a'.repeat(43);
const tls = 'https://trust.example.test';
const plain = 'http://127.0.0.1:8080';
const kinds = [emailCookie, joinCookie, calendarCookie].map((kind) => ({ name: kind.name, kind }));

/** RFC 6265bis §4.1.3.2: Secure, for the whole site, and without a domain. */
describe.each(kinds)('the cookie of $name', ({ name, kind }) => {
  it('has the prefix __Host- over TLS, and is not visible to scripts', () => {
    expect(browserCookie(tls, kind, value)).toBe(
      `__Host-trustcheck-${name}=${value}; Path=/; Max-Age=${kind.lifeSeconds}; HttpOnly; ` +
        'SameSite=Lax; Secure',
    );
    expect(endedCookie(tls, kind)).toBe(
      `__Host-trustcheck-${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`,
    );
  });

  it('has no prefix without TLS, since a browser would refuse it', () => {
    const made = browserCookie(plain, kind, value);
    expect(made).toMatch(/^trustcheck-\w+=a{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
  });

  it('is read only under its own name, once, and in its own form', () => {
    const read = (header: string | undefined, at = tls) => readBrowserCookie(at, kind, header);
    const own = `__Host-trustcheck-${name}=${value}`;
    expect(read(`x=1; ${own}; y=2`)).toBe(value);
    for (const header of [
      undefined,
      '',
      // Set by another host of the same domain, or without TLS.
      `trustcheck-${name}=${value}`,
      `__Secure-trustcheck-${name}=${value}`,
      `__host-trustcheck-${name}=${value}`,
      `${own}; ${own}`,
      `${own}a`,
      `${own.slice(0, -1)}!`,
      `__Host-trustcheck-${name}="${value}"`,
    ]) {
      expect(read(header), header).toBeNull();
    }
    expect(read(own, plain)).toBeNull();
  });
});
