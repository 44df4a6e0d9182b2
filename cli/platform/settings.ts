import type { Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that says which port of a part to try. */
export const portVariables: Readonly<Record<keyof Ports, string>> = {
  api: 'PORT',
  metrics: 'METRICS_PORT',
  worker: 'WORKER_PORT',
  postgres: 'POSTGRES_PORT',
  temporal: 'TEMPORAL_PORT',
  temporalUi: 'TEMPORAL_UI_PORT',
};
/** Where a part is when nothing says otherwise. */
export const usualPorts: Ports = {
  api: 8080,
  metrics: 9464,
  worker: 9465,
  postgres: 5433,
  temporal: 7233,
  temporalUi: 8233,
};
const portMax = 65_535;

/**
 * The ports to try first: as the environment says, as last time, or the usual ones.
 * Throws one line that names a variable that is no port.
 */
export function wantedPorts(last: Ports | null, env: Environment = environment()): Ports {
  const wanted = (key: keyof Ports): number => {
    const given = env[portVariables[key]];
    if (given === undefined || given === '') return last?.[key] ?? usualPorts[key];
    const port = Number(given);
    if (Number.isInteger(port) && port >= 0 && port <= portMax) return port;
    throw new Error(`${portVariables[key]} is not a port: give a number from 0 to ${portMax}`);
  };
  return {
    api: wanted('api'),
    metrics: wanted('metrics'),
    worker: wanted('worker'),
    postgres: wanted('postgres'),
    temporal: wanted('temporal'),
    temporalUi: wanted('temporalUi'),
  };
}

/**
 * The local platform is for development: its keys, its outbox and its trust are of no other use.
 */
export function refuseProduction(env: Environment = environment()): void {
  if (env['PROFILE'] === undefined || env['PROFILE'] === 'development') return;
  throw new Error(
    `PROFILE is ${env['PROFILE']}: npm start is for development; unset it, ` +
      'or see docker-compose.yml',
  );
}
