import fc from 'fast-check';

/** The setting by which a campaign tells the models how much to do: runs and seed. */
export const modelsSetting = 'TRUSTCHECK_MODELS';

/** In the suite: the same few runs each time. */
const usual = { runs: 3, seed: 20_261_122 };
const commandsMax = 30;

export const writeModels = ({ runs, seed }: { runs: number; seed: number }): string =>
  `${runs}:${seed}`;

function asked(): { runs: number; seed: number } {
  const match = /^(\d+):(-?\d+)$/.exec(process.env[modelsSetting] ?? '');
  return match ? { runs: Number(match[1]), seed: Number(match[2]) } : usual;
}

/** One thing that is done to model and platform alike; whether it is to be done the model says. */
export interface Step<Model extends object, Real> {
  readonly name: string;
  readonly isMeant?: (model: Readonly<Model>) => boolean;
  /** Does it, and holds the answer against what the model foretells. */
  readonly take: (model: Model, real: Real) => Promise<void>;
}

type Steps<Model extends object, Real> = fc.Arbitrary<Step<Model, Real>>;

/**
 * Holds the platform against a model: sequences of steps by chance, each on a stage of its own, cut
 * down to the shortest that fails. Its seed, path and steps are in what it throws.
 * @param everAfter what holds after each step
 * @param starts what a stage may begin with
 */
export async function holdModel<Model extends object, Real, Start>(
  steps: readonly Steps<Model, Real>[],
  stage: (start: Start) => Promise<{ model: Model; real: Real }>,
  everAfter: (model: Model, real: Real) => Promise<void>,
  starts: fc.Arbitrary<Start>,
): Promise<void> {
  const { runs, seed } = asked();
  const commands = steps.map((step) =>
    step.map(({ name, isMeant, take }): fc.AsyncCommand<Model, Real> => ({
      check: (model) => isMeant?.(model) ?? true,
      run: async (model, real) => {
        await take(model, real);
        await everAfter(model, real);
      },
      toString: () => name,
    })),
  );
  const property = fc.asyncProperty(
    starts,
    fc.commands(commands, { maxCommands: commandsMax, size: 'max' }),
    async (start, sequence) => {
      const { model, real } = await stage(start);
      await fc.asyncModelRun(() => ({ model, real }), sequence);
    },
  );
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: false });
}

/** One of a list that may be empty, wherever a number by chance points; null for none. */
export function pick<T>(list: readonly T[], place: number): T | null {
  return list[place % Math.max(1, list.length)] ?? null;
}

/** For stages that all begin alike, and where nothing is looked at between steps. */
export const alike = fc.constant(null);
export const nothing = (): Promise<void> => Promise.resolve();
