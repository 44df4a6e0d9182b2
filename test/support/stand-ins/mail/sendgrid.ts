import { z } from 'zod';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';

export interface ReceivedMail {
  readonly messageId: string;
  readonly to: readonly string[];
  readonly from: string;
  readonly fromName: string | undefined;
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly customArgs: Readonly<Record<string, string>>;
  readonly categories: readonly string[];
  readonly isTracked: boolean;
}

export interface Sendgrid extends Provider {
  /** Accepted mails, in order. */
  readonly mails: readonly ReceivedMail[];
}

const address = z.strictObject({ email: z.email().max(254), name: z.string().optional() });
const addresses = z.array(address).min(1).max(1000);
const text = z.string().min(1);
const texts = z.record(z.string(), z.string());
const toggle = z.strictObject({ enable: z.boolean(), substitution_tag: z.string().optional() });

/** The body of `POST /v3/mail/send`. The provider's schema is open; this one is closed. */
const message = z.strictObject({
  personalizations: z
    .array(
      z.strictObject({
        to: addresses,
        cc: addresses.optional(),
        bcc: addresses.optional(),
        subject: text.optional(),
        headers: texts.optional(),
        custom_args: texts.optional(),
        send_at: z.int().optional(),
      }),
    )
    .min(1)
    .max(1000),
  from: address,
  reply_to: address.optional(),
  subject: text,
  content: z
    .array(z.strictObject({ type: z.enum(['text/plain', 'text/html']), value: text }))
    .min(1),
  categories: z.array(z.string().max(255)).max(10).optional(),
  headers: texts.optional(),
  send_at: z.int().optional(),
  // A string in the provider's schema. An object belongs in a personalization.
  custom_args: z.string().optional(),
  tracking_settings: z
    .strictObject({
      click_tracking: z.strictObject({ enable: z.boolean(), enable_text: z.boolean() }).optional(),
      open_tracking: toggle.optional(),
    })
    .optional(),
  mail_settings: z.strictObject({ sandbox_mode: toggle.optional() }).optional(),
});

const refuse = (status: number, why: string, field: string | null = null): ProviderAnswer => ({
  status,
  body: { errors: [{ message: why, field, help: null }] },
});

/**
 * SendGrid's v3 mail send over HTTP: bearer key, closed JSON schema, verified senders, plain part
 * before HTML part. Answers 202 with `X-Message-Id` and no body, or the provider's list of errors.
 */
export async function startSendgrid(account: {
  readonly apiKey: string;
  readonly verifiedSenders: readonly string[];
}): Promise<Sendgrid> {
  const mails: ReceivedMail[] = [];
  const provider = await startProvider((request) => {
    const { method, path, headers, body } = request;
    if (path !== '/v3/mail/send') return refuse(404, 'not found');
    if (method !== 'POST') return refuse(405, 'POST method allowed only');
    if (headers.authorization !== `Bearer ${account.apiKey}`) {
      return refuse(401, 'The provided authorization grant is invalid, expired, or revoked');
    }
    if (!headers.accept?.includes('application/json')) return refuse(406, 'missing Accept header');
    if (!/^application\/json\b/.test(headers['content-type'] ?? '')) {
      return refuse(415, 'Content-Type should be application/json.');
    }
    const parsed = message.safeParse(jsonOf(body));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refuse(400, issue?.message ?? 'Bad Request', issue?.path.join('.') ?? null);
    }
    return accept(parsed.data);
  });

  const accept = (mail: z.output<typeof message>): ProviderAnswer => {
    const types = mail.content.map(({ type }) => type);
    if (types.join() === 'text/html,text/plain' || new Set(types).size !== types.length) {
      return refuse(400, 'The text/plain content must come first, then text/html.', 'content');
    }
    if (!account.verifiedSenders.includes(mail.from.email)) {
      const why = 'The from address does not match a verified Sender Identity.';
      return refuse(403, why, 'from');
    }
    const messageId = `stand-in-message-${mails.length + 1}`;
    mails.push(received(mail, messageId));
    return { status: 202, headers: { 'X-Message-Id': messageId } };
  };
  return { ...provider, mails };
}

function received(mail: z.output<typeof message>, messageId: string): ReceivedMail {
  const part = (type: string): string | undefined =>
    mail.content.find((content) => content.type === type)?.value;
  const tracking = mail.tracking_settings;
  return {
    messageId,
    to: mail.personalizations.flatMap(({ to }) => to.map(({ email }) => email)),
    from: mail.from.email,
    fromName: mail.from.name,
    subject: mail.subject,
    text: part('text/plain'),
    html: part('text/html'),
    customArgs: mail.personalizations[0]?.custom_args ?? {},
    categories: mail.categories ?? [],
    // An account may have tracking on by default, so only an explicit `false` disables it.
    isTracked:
      tracking?.click_tracking?.enable !== false || tracking.open_tracking?.enable !== false,
  };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
