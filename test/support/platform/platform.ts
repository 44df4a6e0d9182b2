import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { faceProviderSettings, startFaceProvider } from '../stand-ins/faces/face-provider.ts';
import { rekognitionSettings, startRekognition } from '../stand-ins/faces/rekognition.ts';
import { eventKey } from '../stand-ins/mail/sendgrid-events.ts';
import { calendarSettings, startCalendarProvider } from '../stand-ins/oauth/calendar-provider.ts';
import { appAttestSettings, startSandbox } from '../stand-ins/phones/app-attest.ts';
import { startDeviceCheck } from '../stand-ins/phones/device-check.ts';
import { endAllWithUs } from './end-with-us.ts';
import { expectSameVerdicts } from './evidence/evidence-again.ts';
import { createPlatform, openTestDb, type PlatformFacts, type TestPlatform } from './harness.ts';
import type { Seat } from './own-platform.ts';

/** Starts a complete platform on real services, once for all test files. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return providePlatform(project, {}, () => Promise.resolve());
}

/**
 * Starts a platform with its own settings. Checks its remaining data before it stops.
 * @param disturb kills processes while the tests run; returns a function that stops this
 */
export async function providePlatform(
  project: TestProject,
  settings: Readonly<Record<string, string>>,
  inspect: (facts: PlatformFacts) => Promise<void>,
  disturb?: (platform: TestPlatform) => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  endAllWithUs();
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-test-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const calendar = await startCalendarProvider('');
  const appAttest = await startSandbox(directory);
  const now = (): Date => new Date();
  const deviceCheck = await startDeviceCheck({ environment: 'development', now });
  const [rekognition, http] = await Promise.all([startRekognition(now), startFaceProvider(now)]);
  const platform = await createPlatform(directory, say, {
    TRUSTED_PROXIES: 'loopback',
    // A busy machine must not turn an answer into a 503.
    TEMPORAL_CALL_SECONDS: '30',
    // All files of a process share its accounts.
    WEBHOOK_ENDPOINTS_MAX: '1000',
    SENDGRID_EVENT_PUBLIC_KEY: eventKey,
    ...calendarSettings(calendar),
    ...appAttestSettings(appAttest, directory),
    DEVICECHECK_SANDBOX_URL: deviceCheck.url,
    ...rekognitionSettings(rekognition),
    ...faceProviderSettings(http),
    ...settings,
  });
  calendar.redirectUri = `${platform.facts.baseUrl}/cal/oauth/callback`;
  project.provide('platform', { ...platform.facts, isDisturbed: disturb !== undefined });
  project.provide('faceProviders', { rekognition: rekognition.url, http: http.url });
  project.provide('seats', await seatsOf(platform, project.config.maxWorkers));
  const settle = await disturb?.(platform);
  return async () => {
    try {
      await settle?.();
      await inspect(platform.facts);
      await expectSameVerdicts(platform);
      await expectNoRefusedStatement(directory);
    } finally {
      await platform.stop();
      const outside = [calendar, appAttest, deviceCheck, rekognition, http];
      await Promise.all(outside.map((each) => each.stop()));
      await rm(directory, { recursive: true, force: true });
    }
  };
}

/**
 * Fails the run on any statement that a role may not execute, even if no caller waits for its
 * result.
 */
async function expectNoRefusedStatement(directory: string): Promise<void> {
  for (const name of ['api', 'worker']) {
    const log = await readFile(join(directory, 'logs', `${name}.log`), 'utf8');
    const refused = log.split('\n').filter((line) => /permission denied for|"42501"/.test(line));
    if (refused.length > 0) throw new Error(`the ${name} lacks a privilege: ${refused[0]}`);
  }
}

/** Provides accounts for each process: those of the platform, and new ones as needed. */
async function seatsOf({ facts, keys }: TestPlatform, count: number): Promise<Seat[]> {
  const { own, foreign, baseUrl, databaseUrl } = facts;
  const db = openTestDb(databaseUrl);
  const deps = { db, keys, ids: randomIds, baseUrl };
  const seats = [{ own, foreign }];
  try {
    for (let place = 2; place <= count; place += 1) {
      seats.push({
        own: await seed(deps, `example-app-${place}`, new Date()),
        foreign: await seed(deps, `foreign-app-${place}`, new Date()),
      });
    }
  } finally {
    await db.end();
  }
  return seats;
}
