import fc from 'fast-check';

/** The setting with the number of runs and the seed of a campaign. */
export const modelsSetting = 'TRUSTCHECK_MODELS';

/** In the suite: a few fixed runs. */
const usual = { runs: 3, seed: 20_261_122 };
const commandsMax = 30;

export const writeModels = ({ runs, seed }: { runs: number; seed: number }): string =>
  `${runs}:${seed}`;

function asked(): { runs: number; seed: number } {
  const match = /^(\d+):(-?\d+)$/.exec(process.env[modelsSetting] ?? '');
  return match ? { runs: Number(match[1]), seed: Number(match[2]) } : usual;
}

/** One step on model and platform; the model decides whether it makes sense. */
export interface Step<Model extends object, Real> {
  readonly name: string;
  readonly isMeant?: (model: Readonly<Model>) => boolean;
  /** Takes the step, and compares the answer with the prediction of the model. */
  readonly take: (model: Model, real: Real) => Promise<void>;
}

type Steps<Model extends object, Real> = fc.Arbitrary<Step<Model, Real>>;

/**
 * Compares the platform with a model: random sequences of steps, each on a new stage, shrunk to the
 * shortest failing one. The error contains seed, path and steps. `everAfter` is checked after each
 * step; `starts` generates the start of a stage.
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

/** Returns the element at a random place; null for an empty list. */
export function pick<T>(list: readonly T[], place: number): T | null {
  return list[place % Math.max(1, list.length)] ?? null;
}

/** For stages with the same start, and without checks between steps. */
export const alike = fc.constant(null);
export const nothing = (): Promise<void> => Promise.resolve();
