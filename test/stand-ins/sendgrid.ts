import { z } from 'zod';
import { startProvider, type Provider } from './provider.ts';

const address = z.strictObject({ email: z.email(), name: z.string().optional() });
const mail = z.strictObject({
  from: address,
  personalizations: z
    .array(
      z.strictObject({
        to: z.array(address).length(1),
        custom_args: z.record(z.string(), z.string()).optional(),
        subject: z.string().optional(),
      }),
    )
    .length(1),
  subject: z
    .string()
    .min(1)
    .regex(/^[^\r\n]*$/),
  content: z
    .array(z.strictObject({ type: z.enum(['text/plain', 'text/html']), value: z.string().min(1) }))
    .min(1),
  custom_args: z.record(z.string(), z.string()).optional(),
  tracking_settings: z.record(z.string(), z.unknown()).optional(),
});

/** The v3 mail/send call: bearer key, strict JSON, plain text before HTML, 202 with X-Message-Id. */
export function startSendgrid(apiKey: string): Promise<Provider> {
  let sent = 0;
  const refuse = (status: number, message: string) => ({
    status,
    body: { errors: [{ message, field: null, help: null }] },
  });
  return startProvider(({ method, path, headers, body }) => {
    if (method !== 'POST' || path !== '/v3/mail/send') return refuse(404, 'not found');
    if (headers.authorization !== `Bearer ${apiKey}`) return refuse(401, 'authorization required');
    if (!headers['content-type']?.startsWith('application/json')) return refuse(415, 'json only');
    const parsed = mail.safeParse(JSON.parse(body));
    if (!parsed.success) return refuse(400, parsed.error.issues[0]?.message ?? 'bad');
    const [first] = parsed.data.content;
    if (first?.type !== 'text/plain') return refuse(400, 'text/plain goes first');
    sent += 1;
    return { status: 202, headers: { 'x-message-id': `m${sent}` }, body: undefined };
  });
}
