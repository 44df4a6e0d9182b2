import type { Response } from 'express';
import type { AnyAnswer, Contract } from './contract.ts';
import { sendStream } from './server/stream.ts';

/**
 * Sends a handler's answer. With `check` on (every profile but production) a body is held against
 * its declared schema first: an undeclared member or a wrong type is a fault of ours, not a
 * surprise for a client.
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
      // What else the answer goes by has been said before: by CORS, its origin.
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
    // Not Express's send: there is no entity tag to make, and every type names its charset.
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
