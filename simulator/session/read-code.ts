import type { Call } from './client.ts';

/**
 * Returns the code in the newest message to this number.
 * @throws if no message arrives
 */
export async function readCode(call: Call, number: string): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { items } = await call<{ items: { recipient: string; text: string }[] }>(
      'GET',
      '/outbox/messages',
    );
    const message = items.find(({ recipient }) => recipient === number);
    const code = message && /^(\d{6})\b/.exec(message.text)?.[1];
    if (code) return code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no code has arrived');
}
