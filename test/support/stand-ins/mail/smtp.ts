import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { readMime } from './mime.ts';

export interface SmtpMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly messageId: string;
  readonly autoSubmitted: string | undefined;
  readonly text: string;
  readonly html: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

/** An answer with this code at a point of the dialogue. */
export interface SmtpRefusal {
  readonly at: 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';
  readonly status: number;
  readonly text?: string;
}

/**
 * The fault of the next connection: a refusal, silence, a reset, a greeting that never ends, or a
 * connection that breaks right after the message was accepted.
 */
export type SmtpFault = SmtpRefusal | 'hang' | 'reset' | 'trickle' | 'reset-after-acceptance';

export interface Smtp {
  readonly port: number;
  /** Accepted mails, in order. */
  readonly mails: readonly SmtpMail[];
  /** The number of connections so far. */
  readonly connections: () => number;
  readonly failNext: (fault: SmtpFault) => void;
  /** Clears all faults. */
  readonly recover: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * A mail submission server (RFC 6409) that parses mails strictly. With `tls` it offers STARTTLS;
 * with `login` it requires authentication.
 */
export async function startSmtp(
  options: {
    readonly tls?: { readonly key: string; readonly cert: string };
    readonly login?: { readonly user: string; readonly pass: string };
  } = {},
): Promise<Smtp> {
  const mails: SmtpMail[] = [];
  const faults: SmtpFault[] = [];
  let met: SmtpFault | undefined;
  const refusalAt = (point: SmtpRefusal['at']): Error | null => {
    if (typeof met !== 'object' || met.at !== point) return null;
    return Object.assign(new Error(met.text ?? 'no'), { responseCode: met.status });
  };
  const server = new SMTPServer({
    logger: false,
    ...options.tls,
    authOptional: options.login === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(options.tls ? [] : ['STARTTLS']), ...(options.login ? [] : ['AUTH'])],
    onConnect: (_session, done) => done(refusalAt('connect')),
    onAuth: (given, _session, done) => {
      const isKnown =
        given.username === options.login?.user && given.password === options.login?.pass;
      const refused = refusalAt('auth') ?? (isKnown ? null : new Error('who?'));
      done(refused, { user: given.username });
    },
    onMailFrom: (_address, _session, done) => done(refusalAt('mail')),
    onRcptTo: (_address, _session, done) => done(refusalAt('rcpt')),
    onData: (stream, session, done) => {
      void stream.toArray().then((chunks) => {
        const refused = refusalAt('data');
        if (refused) return done(refused);
        try {
          mails.push(readMail(Buffer.concat(chunks), session));
          return done(null, 'taken');
        } catch (error) {
          return done(Object.assign(error instanceof Error ? error : new Error('no'), code(554)));
        }
      });
    },
  });
  server.on('error', () => undefined);
  const inner = server.listen(0, '127.0.0.1');
  let connections = 0;
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    met = faults.shift();
    if (met === 'reset') return void socket.resetAndDestroy();
    if (met === 'hang') return;
    if (met === 'trickle') return trickle(socket);
    if (met === 'reset-after-acceptance') return passUntilTaken(socket, portOf(inner));
    server.connect(socket);
  });
  front.listen(0, '127.0.0.1');
  await Promise.all([once(front, 'listening'), once(inner, 'listening')]);
  return {
    port: portOf(front),
    mails,
    connections: () => connections,
    failNext: (fault) => void faults.push(fault),
    recover: () => void faults.splice(0),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      front.close();
      await Promise.all([once(front, 'close'), new Promise<void>((done) => server.close(done))]);
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const code = (responseCode: number) => ({ responseCode });

/** Sends a greeting with endless lines (RFC 5321 §4.2.1). */
function trickle(socket: Socket): void {
  const drip = setInterval(() => socket.write('220-one moment\r\n'), 20);
  socket.on('close', () => clearInterval(drip));
}

/** Closes the connection right after it forwards the acceptance of the message to the client. */
function passUntilTaken(client: Socket, port: number): void {
  const server = connect(port, '127.0.0.1');
  server.on('error', () => undefined).on('close', () => client.destroy());
  server.on('data', (bytes) => {
    client.write(bytes, () => {
      if (bytes.includes('taken')) client.resetAndDestroy();
    });
  });
  client.on('close', () => server.destroy()).pipe(server);
}

/** @throws if our writer should not produce this message */
function readMail(raw: Buffer, session: SMTPServerSession): SmtpMail {
  const { headers, parts } = readMime(raw);
  const need = (name: string): string => {
    const value = headers[name];
    if (!value) throw new Error(`${name} is missing`);
    return value;
  };
  // RFC 5322 §3.6: the two fields that every message requires; RFC 2045 §4.
  if (Number.isNaN(Date.parse(need('date')))) throw new Error('not a date');
  if (need('mime-version') !== '1.0') throw new Error('not MIME');
  const [, messageId] = /^<([\w.-]+@[\w.-]+)>$/.exec(need('message-id')) ?? [];
  if (!messageId) throw new Error('not a message id');
  // RFC 2046 §5.1.4: the plainest alternative first.
  if (parts.map(({ type }) => type).join() !== 'text/plain,text/html') throw new Error('parts');
  const { mailFrom, rcptTo } = session.envelope;
  return {
    envelope: {
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map(({ address }) => address),
    },
    from: need('from'),
    to: need('to'),
    subject: need('subject'),
    messageId,
    autoSubmitted: headers['auto-submitted'],
    text: parts[0]?.text ?? '',
    html: parts[1]?.text ?? '',
    isSecure: session.secure,
    user: typeof session.user === 'string' ? session.user : undefined,
  };
}
