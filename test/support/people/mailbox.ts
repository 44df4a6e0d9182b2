import { call, type Answer } from '../http/client.ts';
import { eventually } from '../platform/harness.ts';

let lastAddress = 0;

/** Returns an address that is unique in this run. */
export function newAddress(): string {
  lastAddress += 1;
  return `person-${process.pid}-${lastAddress}@example.test`;
}

async function tokensTo(address: string): Promise<string[]> {
  const { body } = await call('GET', '/outbox/messages?limit=200');
  const items = body['items'] as { recipient: string; text: string }[];
  return items
    .filter(({ recipient }) => recipient === address)
    .flatMap(({ text }) => /#t=([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? []);
}

/** Waits for `count` mails to an address. Returns the token of the newest. */
export async function tokenTo(address: string, count = 1): Promise<string> {
  return eventually(`mail ${count} to ${address}`, async () => {
    const tokens = await tokensTo(address);
    return tokens.length >= count && tokens[0];
  });
}

/** Returns the text of the first mail to an address. */
export async function textTo(address: string): Promise<string> {
  return eventually(`a mail to ${address}`, async () => {
    const { body } = await call('GET', '/outbox/messages?limit=200');
    const items = body['items'] as { recipient: string; text: string }[];
    return items.findLast(({ recipient }) => recipient === address)?.text;
  });
}

/** A request for a mail, as the requesting browser sees it. */
export interface Asked {
  readonly answer: Answer;
  readonly cookie: string;
  readonly code: string;
}

export async function askLogin(body: Record<string, unknown>): Promise<Asked> {
  return asked(await call('POST', '/v2/email/login/request', { body }));
}

export async function askLink(token: string, body: Record<string, unknown>): Promise<Asked> {
  return asked(await call('POST', '/v2/email/link/request', { token, body }));
}

function asked(answer: Answer): Asked {
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { answer, cookie, code: answer.headers.get('email-code') ?? '' };
}

/** Signs in by address, in the browser that requested the mail. */
export async function logIn(address: string, more: Record<string, unknown> = {}): Promise<Answer> {
  const { cookie } = await askLogin({ email: address, ...more });
  const token = await tokenTo(address);
  return call('POST', '/v2/email/login/verify', { body: { token }, headers: { cookie } });
}

/** Signs in by address and accepts the invitation of an account. */
export async function joinBy(
  address: string,
  accountId: number,
): Promise<{ readonly polyUserId: string; readonly accepted: Answer }> {
  const { body } = await logIn(address);
  const token = String(body['session_token']);
  const accepted = await call('POST', `/v2/accounts/${accountId}/accept`, { token });
  return { polyUserId: String(body['poly_user_id']), accepted };
}
