import { randomBytes } from 'node:crypto';
import { createClient, type Call } from './client.ts';

export interface PhoneCheckOptions {
  readonly link: string;
  readonly number: string;
  readonly fail?: string;
  readonly say: (line: string) => void;
}

export interface CheckedSession {
  readonly link_session_id: string;
  readonly status: string;
  readonly reason_code: string | null;
}

interface Preview {
  readonly link_uuid: string;
  readonly app: { app_id: string; tos_version: string };
  readonly required_proofs: string[];
  readonly requested_claims: string[];
  readonly requester: { account_name: string };
}

interface Running {
  readonly call: Call;
  readonly id: string;
  readonly token: string;
  readonly options: PhoneCheckOptions;
}

/**
 * Runs one trust check as the mobile app would: open the link, begin, pair, consent, hand in every
 * proof that is asked for. Only public endpoints are used; the code comes from the outbox, where a
 * person would read it on the phone.
 */
export async function phoneCheck(options: PhoneCheckOptions): Promise<CheckedSession> {
  const link = new URL(options.link);
  const call = createClient(link.origin);
  const preview = await call<Preview>('GET', `${link.pathname}?format_type=J`);
  options.say(`${preview.requester.account_name} asks for: ${preview.required_proofs.join(', ')}`);
  const begun = await call<{ link_session_id: string; check_token: string }>(
    'POST',
    '/v2/trust-checks',
    {
      body: {
        link_uuid: preview.link_uuid,
        app_id: preview.app.app_id,
        client: 'mobile',
        ...(link.hash.startsWith('#t=') ? { link_token: link.hash.slice(3) } : {}),
      },
      idempotencyKey: newKey(),
    },
  );
  const running = { call, id: begun.link_session_id, token: begun.check_token, options };
  options.say(`session ${running.id}`);
  await step(running, 'pair', {});
  await step(running, 'consent', {
    accepted: true,
    tos_version: preview.app.tos_version,
    claims: preview.requested_claims,
  });
  for (const proof of preview.required_proofs) await handIn(running, proof);
  return call<CheckedSession>('GET', `/v2/trust-checks/${running.id}`, { token: running.token });
}

async function step(running: Running, name: string, body: unknown): Promise<void> {
  const { call, id, token, options } = running;
  const session = await call<CheckedSession>('POST', `/v2/trust-checks/${id}/${name}`, {
    body,
    token,
  });
  options.say(`${name}: ${session.status}`);
}

async function handIn(running: Running, proof: string): Promise<void> {
  if (proof === 'phone') return handInCode(running);
  throw new Error(`this phone has no ${proof} proof`);
}

async function handInCode(running: Running): Promise<void> {
  const { call, id, token, options } = running;
  const sent = await call<{ sent_to: string }>('POST', `/v2/trust-checks/${id}/phone/code`, {
    body: { phone_number: options.number },
    token,
  });
  options.say(`code sent to ${sent.sent_to}`);
  const code = await readCode(running);
  const wrong = code === '000000' ? '000001' : '000000';
  const isWrong = options.fail === 'wrong_code';
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const proof = await call<{ status: string; reason_code: string | null }>(
      'POST',
      `/v2/trust-checks/${id}/proofs/phone`,
      { body: { code: isWrong ? wrong : code }, token, idempotencyKey: newKey() },
    );
    options.say(`phone: ${proof.status}${proof.reason_code ? ` (${proof.reason_code})` : ''}`);
    if (proof.status !== 'requires_retry') return;
  }
}

/** The newest message to this number, as its owner would read it. */
async function readCode({ call, options }: Running): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { items } = await call<{ items: { recipient: string; text: string }[] }>(
      'GET',
      '/outbox/messages',
    );
    const message = items.find(({ recipient }) => recipient === options.number);
    const code = message && /^(\d{6})\b/.exec(message.text)?.[1];
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no code has arrived');
}

function newKey(): string {
  return randomBytes(16).toString('hex');
}
