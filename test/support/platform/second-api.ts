import type { AddressInfo } from 'node:net';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { createApp } from '../../../api/app.ts';
import { apiConfig, settingsOf, type Settings } from '../../../api/config.ts';
import type { Deps, Outside, Telemetry } from '../../../api/deps.ts';
import { createApiServer } from '../../../api/http/server/create-server.ts';
import { makeDeps } from '../../../api/make-deps.ts';
import { createRealtime } from '../../../api/realtime/server.ts';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { devTrustSettings } from '../../../simulator/roots/dev-trust.ts';
import { ownPlatform } from './own-platform.ts';

/** An API in addition to that of the platform, on the same stores and with the same base URL. */
export interface SecondApi {
  readonly origin: string;
  readonly metrics: Telemetry['metrics'];
  stop(): Promise<void>;
}

/**
 * Starts a second API in this process, for tests that the platform's own API cannot serve: another
 * setting, an unavailable provider or server, a clock that is ahead. With `live` it also serves
 * sockets.
 */
export async function startSecondApi(
  settings: Readonly<Record<string, string>> = {},
  own: Partial<Pick<Deps, 'clock' | 'db' | 'settings'> & Pick<Outside, 'lookUp'>> = {},
  live: { readonly recheckMs: number } | null = null,
): Promise<SecondApi> {
  const { databaseUrl, dataDir, temporalAddress, baseUrl } = ownPlatform();
  const config = parseConfig(apiConfig, {
    PROFILE: 'development',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: developmentUrls(databaseUrl).api,
    DATA_DIR: dataDir,
    TEMPORAL_ADDRESS: temporalAddress,
    BASE_URL: baseUrl,
    ...(await devTrustSettings(dataDir)),
    ...settings,
  });
  const { deps: made, stop } = await makeDeps(config);
  const { lookUp = made.outside.lookUp, ...others } = own;
  const deps: Deps = { ...made, ...others, outside: { ...made.outside, lookUp } };
  const server = createApiServer(createApp(deps, config.TRUSTED_PROXIES));
  const realtime = live ? createRealtime(server, deps, config.DATABASE_URL, live.recheckMs) : null;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    metrics: deps.telemetry.metrics,
    async stop() {
      await realtime?.stop();
      server.closeAllConnections();
      // Socket.IO closes its HTTP server.
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await stop();
    },
  };
}

/** Settings that handlers receive in production. */
export function productionSettings(): Settings {
  const { databaseUrl, dataDir, baseUrl } = ownPlatform();
  const given = { BASE_URL: baseUrl, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  return settingsOf(parseConfig(apiConfig, { PROFILE: 'production', ...given }));
}
