import type { Call } from '../../../../simulator/session/client.ts';
import type { TestPlatform } from '../../../support/platform/harness.ts';
import type { BenchResult } from './judge.ts';
import type { Pace } from './rounds.ts';

/** What every bench runs on. */
export interface BenchContext {
  readonly platform: TestPlatform;
  readonly call: Call;
  readonly pace: Pace;
  /** How long a bench watches that nothing grows. */
  readonly minutes: number;
  /** Where the API opens its inspector at SIGUSR1. */
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
