import { browserOf, type Browser } from '../../support/http/browser-keys.ts';
import { call, type CallOptions } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const utf8 = new TextEncoder();

/** Sends a call and returns status, code and rule of the answer. */
export async function told(method: string, path: string, options: CallOptions): Promise<unknown[]> {
  const { status, body } = await call(method, path, options);
  return [status, body['code'], ...(body['rule'] === undefined ? [] : [body['rule']])];
}

export const mustOwn = (token: string): Browser => {
  const browser = browserOf(token);
  if (!browser) throw new Error('the token is bound to no browser of this test');
  return browser;
};

/** Returns the `DPoP` header of a call by a browser. */
export const signed = async (
  browser: Browser,
  method: string,
  path: string,
  token: string,
  body = '',
) => ({
  dpop: await browser.sign({
    method,
    url: `${baseUrl}${path}`,
    token,
    ...(body ? { body: utf8.encode(body) } : {}),
  }),
});
