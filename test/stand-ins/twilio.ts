import { startProvider, type Provider } from './provider.ts';

/** Numbers the stand-in refuses, with the provider's own codes. */
export const refusedNumbers: Readonly<Record<string, number>> = {
  '+15005550001': 21_211,
  '+15005550009': 21_614,
  '+15005550004': 21_610,
};

/** The 2010-04-01 Messages call: basic auth, form encoding, JSON answer with a SID. */
export function startTwilio(accountSid: string, authToken: string): Promise<Provider> {
  let sent = 0;
  const refuse = (status: number, code: number, message: string) => ({
    status,
    body: { code, message, more_info: `https://example.test/${code}`, status },
  });
  const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  return startProvider(({ method, path, headers, body }) => {
    if (method !== 'POST' || path !== `/2010-04-01/Accounts/${accountSid}/Messages.json`) {
      return refuse(404, 20_404, 'not found');
    }
    if (headers.authorization !== expected) return refuse(401, 20_003, 'authenticate');
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return refuse(415, 20_000, 'form only');
    }
    const form = new URLSearchParams(body);
    const [to, from, text] = [form.get('To') ?? '', form.get('From') ?? '', form.get('Body') ?? ''];
    const refused = refusedNumbers[to];
    if (refused !== undefined) return refuse(400, refused, `the number ${to} cannot be reached`);
    if (!/^\+\d{7,15}$/.test(to)) return refuse(400, 21_211, 'To');
    if (!/^\+\d{7,15}$/.test(from)) return refuse(400, 21_606, 'From');
    if (text === '' || text.length > 1600) return refuse(400, 21_617, 'Body');
    sent += 1;
    const sid = `SM${String(sent).padStart(32, '0')}`;
    return { status: 201, body: { sid, to, from, body: text, status: 'queued', error_code: null } };
  });
}
