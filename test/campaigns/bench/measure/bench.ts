import type { Call } from '../../../../simulator/session/client.ts';
import type { TestPlatform } from '../../../support/platform/harness.ts';
import type { BenchResult } from './judge.ts';
import type { Pace } from './rounds.ts';

/** The environment of every bench. */
export interface BenchContext {
  readonly platform: TestPlatform;
  readonly call: Call;
  readonly pace: Pace;
  /** Minutes for which a bench checks that memory does not grow. */
  readonly minutes: number;
  /** Port at which the API opens its inspector on SIGUSR1. */
  readonly inspectPort: number;
}

/** The rows of the performance goals that `npm run bench` measures. */
export const benchIds = ['P1', 'P2', 'P3', 'P4', 'P6', 'P7', 'P8', 'P9'] as const;
export type BenchId = (typeof benchIds)[number];

/** One row of the performance goals. */
export interface Bench {
  readonly id: BenchId;
  readonly rounds: number;
  run(context: BenchContext): Promise<BenchResult>;
}
