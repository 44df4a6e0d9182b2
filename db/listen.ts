import pg from 'pg';

export interface ListenOptions {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly channels: readonly string[];
  readonly onNotice: (channel: string, payload: string) => void;
  /**
   * Called each time listening starts, also after a reconnect. Notifications sent before that are
   * lost.
   */
  readonly onListening: () => void;
  readonly onBreak: (error: unknown) => void;
}

const connectMsMax = 2_000;
const reconnectMs = 500;

/**
 * Listens on channels over a dedicated connection and reconnects when it breaks. Notifications are
 * hints that may be lost, so the caller must also poll the tables.
 */
export function listen(options: ListenOptions): { stop: () => Promise<void> } {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: connectMsMax,
      application_name: options.applicationName,
    });
    client = next;
    // 'end' also follows an error, and a failed connection attempt.
    next.on('error', options.onBreak);
    next.once('end', () => {
      if (client === next) again();
    });
    next.on('notification', ({ channel, payload }) => options.onNotice(channel, payload ?? ''));
    try {
      await next.connect();
      await next.query(options.channels.map((channel) => `LISTEN ${channel}`).join('; '));
      options.onListening();
    } catch (error) {
      options.onBreak(error);
      await next.end().catch(() => undefined);
      if (client === next) again();
    }
  };
  const again = (): void => {
    client = null;
    if (!isStopped) timer = setTimeout(() => void connect(), reconnectMs);
  };
  void connect();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
}
