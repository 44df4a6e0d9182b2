import { startSilentServer } from '../stand-ins/silent-server.ts';
import { startSecondApi } from '../platform/second-api.ts';

/**
 * An API with a Temporal server that accepts every call and never answers. Calls time out after one
 * second.
 */
export interface LateApi {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startLateApi(): Promise<LateApi> {
  const silent = await startSilentServer();
  const api = await startSecondApi({
    TEMPORAL_ADDRESS: `127.0.0.1:${silent.port}`,
    TEMPORAL_CALL_SECONDS: '1',
    TRUSTED_PROXIES: 'loopback',
  });
  return {
    origin: api.origin,
    async stop() {
      await api.stop();
      await silent.stop();
    },
  };
}
