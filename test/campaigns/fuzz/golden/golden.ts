import { samples } from '../../../support/people/samples.ts';
import { operations } from '../operations.ts';
import type { Stage } from '../stage.ts';
import { goldenAccounts } from './golden-accounts.ts';
import { goldenChecks } from './golden-checks.ts';
import { goldenPages } from './golden-pages.ts';
import { goldenPeople } from './golden-people.ts';
import { goldenRecoveries } from './golden-recoveries.ts';

/** A successful call on its own objects, from which other requests are derived. */
export interface Golden {
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly raw?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Origin of another API than the platform’s own. */
  readonly at?: string;
  /** Computes headers for the final request: the signature of a phone. */
  readonly sign?: (call: SignedPart) => Promise<Readonly<Record<string, string>>>;
}

export interface SignedPart {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export type MakeGolden = () => Promise<Golden>;

/** Operations without a successful call, each with its reason. */
export const neverGood: Readonly<Record<string, string>> = {
  'recoveries.approve': 'no camera is simulated for the provider that judges faces there',
  'meetings.botHook': 'no bot is configured there: it answers platform_not_configured',
};

/** Returns a good call for every operation of the document, from other tests where possible. */
export function goldensOf(stage: Stage): ReadonlyMap<string, MakeGolden> {
  const own: Readonly<Record<string, MakeGolden>> = {
    ...goldenPages(stage),
    ...goldenPeople(stage),
    ...goldenAccounts(stage),
    ...goldenChecks(stage),
    ...goldenRecoveries(stage),
  };
  return new Map(
    operations.map(({ id }): [string, MakeGolden] => {
      const make = own[id] ?? samples[id];
      if (!make) throw new Error(`no good call for ${id}: name one in test/fuzz/golden-*.ts`);
      return [id, make];
    }),
  );
}
