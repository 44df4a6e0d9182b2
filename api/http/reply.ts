import type { Response } from 'express';
import type { AnyAnswer, Contract } from './contract.ts';
import { sendStream } from './server/stream.ts';

/**
 * Sends a handler's response. With `check` (in every profile but production) it first validates a
 * body against its declared schema. An undeclared member or a wrong type then fails here instead of
 * in a client.
 */
export async function sendReply(
  response: Response,
  contract: Contract,
  answer: AnyAnswer,
  check: boolean,
): Promise<void> {
  response.status(answer.status);
  if (answer.headers) {
    for (const [name, value] of Object.entries(answer.headers)) {
      // Appends to `Vary`, which CORS has already set.
      if (name === 'Vary') response.vary(value);
      else response.setHeader(name, value);
    }
  }
  if ('location' in answer) {
    response.setHeader('Location', answer.location);
    response.end();
    return;
  }
  if ('isEmpty' in answer) {
    response.end();
    return;
  }
  if ('content' in answer) {
    // Express's `send` would make an entity tag. Every type already names its charset.
    response.setHeader('Content-Type', answer.type);
    response.end(answer.content);
    return;
  }
  if ('parts' in answer) return sendStream(response, answer.type, answer.parts);
  if (check) checkReplyBody(contract, answer.status, answer.body);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  if (!response.hasHeader('Content-Type')) {
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
  }
  response.end(JSON.stringify(answer.body));
}

function checkReplyBody(contract: Contract, status: number, body: unknown): void {
  const reply = contract.replies[status];
  if (!reply || !('schema' in reply) || !reply.schema) {
    throw new Error(`${contract.id} answered ${status} with a body it does not declare`);
  }
  const parsed = reply.schema.safeParse(body);
  if (!parsed.success) {
    throw new Error(`${contract.id} answered ${status} with a wrong body`, { cause: parsed.error });
  }
}
