import { io, type Socket } from 'socket.io-client';
import { answerParent } from '../measure/child.ts';

export interface SocketsRequest {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly stream: string;
  readonly count: number;
}

/** The clients of P7 in a separate process: each follows one stream. */
const sockets: Socket[] = [];
const connectAtOnce = 25;

async function open({ url, path, token, stream }: SocketsRequest): Promise<void> {
  const options = { transports: ['websocket'], forceNew: true, reconnection: false };
  const socket = io(url, { ...options, path, auth: { token }, timeout: 60_000 });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  const answer: unknown = await socket.timeout(60_000).emitWithAck('subscribe', { stream });
  const isIn = typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok;
  if (!isIn) throw new Error(`not subscribed: ${JSON.stringify(answer)}`);
}

answerParent(0, async (request: SocketsRequest) => {
  let left = request.count;
  const lane = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await open(request);
    }
  };
  await Promise.all(Array.from({ length: connectAtOnce }, lane));
  return { connected: sockets.filter(({ connected }) => connected).length };
});
