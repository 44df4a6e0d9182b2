import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import fc from 'fast-check';
import { callingFrom } from '../../support/http/client.ts';
import { goldensOf, neverGood, type Golden } from './golden/golden.ts';
import { plansOf } from './make-plans.ts';
import { operations, type Operation } from './operations.ts';
import { plain, type Plan } from './plans.ts';
import type { Stage } from './stage.ts';
import { shareOf } from './values/shares.ts';
import { Known } from './verdict/known.ts';
import { faultsOf, operationFor, parsed } from './verdict/verdict.ts';
import {
  curlOf,
  pathValues,
  send,
  wireOf,
  type Answered,
  type Line,
  type Wire,
} from './verdict/wire.ts';

/** Number of requests derived from one good call. */
const perGolden = 100;
const workersMax = 8;
/** A slower answer is requested again, alone. */
const slowMs = 1_000;
const slowKeptMax = 40;
/** Number of attempts to shrink a failing request. */
const shrinksMax = 60;

export interface CampaignOptions {
  readonly requests: number;
  readonly seed: number;
}

export interface Finding {
  readonly operation: string;
  readonly fault: string;
  readonly curl: string;
  times: number;
}

/** A good call with an invalid credential, which every operation must refuse. */
const stranger: Plan = { ...plain, who: { kind: 'text', authorization: 'Bearer nonsense' } };

/** Number of answers by operation and status. */
export type Tally = Map<string, Map<number, number>>;

export interface Outcome {
  readonly findings: readonly Finding[];
  readonly tally: Tally;
  readonly sent: number;
  /** Operations never answered with a success, or never with a refusal. */
  readonly unreached: readonly string[];
}

/** Operations that change what other requests need; they run only on their own objects. */
const spared =
  /^(trust-checks\.(redact|revoke)|members\.(update|remove)|api-keys\.revoke|apps\.(update|archive))$/;
/** Operations that would end the sessions of the campaign; only API keys try them otherwise. */
const signsOut = /^session\.(signOut|end)$/;
const isKey = (token: string): boolean => token.startsWith('tk_');

class Campaign {
  readonly #stage: Stage;
  readonly #options: CampaignOptions;
  readonly #known = new Known();
  readonly #findings = new Map<string, Finding>();
  readonly #slow: { operation: string; wire: Wire; origin: string }[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: workersMax });
  readonly tally: Tally = new Map();
  sent = 0;

  constructor(stage: Stage, options: CampaignOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  async run(): Promise<Outcome> {
    const goldens = goldensOf(this.#stage);
    const shares = shareOf(operations, this.#options.requests);
    const queue = operations.toSorted((a, b) => (shares.get(b.id) ?? 0) - (shares.get(a.id) ?? 0));
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const make = goldens.get(next.id);
        if (make) await this.#operation(next, make, shares.get(next.id) ?? 1);
      }
    };
    await Promise.all(Array.from({ length: workersMax }, work));
    await this.#askSlowAgain();
    this.#agent.destroy();
    const findings = [...this.#findings.values()];
    return { findings, tally: this.tally, sent: this.sent, unreached: this.#unreached() };
  }

  async #operation(operation: Operation, make: () => Promise<Golden>, runs: number) {
    const plans = plansOf(operation);
    for (let done = 0, round = 0; done < runs; round += 1) {
      const seed = numberOf(`${this.#options.seed} ${operation.id} ${round}`);
      const golden = await callingFrom(addressOf(seed), () => make().catch(make)).catch(
        (error: unknown) => {
          this.#find(operation.id, `has no good call: ${String(error)}`, '');
          return null;
        },
      );
      if (!golden) return;
      await this.#send(operation, golden, plain, seed, null);
      await this.#send(operation, golden, stranger, seed, null);
      const count = Math.min(perGolden, runs - done - 2);
      if (count > 0) await this.#chunk(operation, golden, plans, seed, count);
      done += count + 2;
    }
  }

  /** Sends plans up to the number of requests; each fault ends a property and starts another. */
  async #chunk(
    operation: Operation,
    golden: Golden,
    plans: fc.Arbitrary<Plan>,
    seed: number,
    count: number,
  ): Promise<void> {
    for (let left = count, turn = 0; left > 0; turn += 1) {
      let runs = 0;
      let failing: string | null = null;
      let smallest: { wire: Wire; fault: string } | null = null;
      const property = fc.asyncProperty(plans, async (plan) => {
        if (failing !== null && runs >= shrinksMax) return;
        runs += 1;
        const { wire, faults } = await this.#send(
          operation,
          golden,
          plan,
          seed + left + runs,
          failing,
        );
        const fault = faults.find((each) => failing === null || each === failing);
        if (fault === undefined || !wire) return;
        if (failing === null) [failing, runs] = [fault, 1];
        smallest = { wire, fault };
        throw new Error(fault);
      });
      const out = await fc.check(property, { numRuns: left, seed: seed + turn });
      left -= Math.max(1, out.failed ? out.numRuns : left);
      const found = smallest as { wire: Wire; fault: string } | null;
      if (out.failed && !found) throw out.errorInstance ?? new Error('a property failed by itself');
      if (found) this.#find(operation.id, found.fault, curlOf(this.#originOf(golden), found.wire));
    }
  }

  #originOf({ at }: Golden): string {
    return at ?? this.#stage.baseUrl;
  }

  #lineTo(origin: string): Line {
    return { origin, agent: this.#agent };
  }

  /** Sends one request and judges its answer; known faults are only counted. */
  async #send(
    operation: Operation,
    golden: Golden,
    plan: Plan,
    turn: number,
    failing: string | null,
  ): Promise<{ wire: Wire | null; faults: string[] }> {
    const known = spared.test(operation.id) ? new Known() : this.#known;
    const all = this.#stage.principals;
    const principals = signsOut.test(operation.id) ? all.filter(isKey) : all;
    const address = addressOf(turn);
    const around = { operation, golden, known, principals, address };
    const wire = await wireOf(plan, around);
    const origin = this.#originOf(golden);
    let answer: Answered;
    try {
      answer = await send(this.#lineTo(origin), wire);
    } catch (error) {
      // A request that cannot be written on the wire was not sent.
      const { code = '' } = Object(error) as { code?: string };
      if (/^ERR_(UNESCAPED_CHARACTERS|INVALID_CHAR|INVALID_HTTP_TOKEN)$/.test(code)) {
        return { wire: null, faults: [] };
      }
      return { wire, faults: this.#new(operation, [`gives no answer: ${String(error)}`], failing) };
    }
    this.#note(operation, golden, wire, answer);
    if (answer.tookMs > slowMs && this.#slow.length < slowKeptMax) {
      this.#slow.push({ operation: operation.id, wire, origin });
    }
    const faults = faultsOf(wire, answer);
    if (plan === plain && answer.status >= 400 && !(operation.id in neverGood)) {
      const told = `its good call is answered ${answer.status}: ${answer.text.slice(0, 200)}`;
      this.#find(operation.id, told, curlOf(origin, wire));
    }
    return { wire, faults: this.#new(operation, faults, failing) };
  }

  #note(operation: Operation, golden: Golden, wire: Wire, answer: Answered): void {
    this.sent += 1;
    const { id } = operationFor(wire) ?? { id: 'no operation' };
    const statuses = this.tally.get(id) ?? new Map<number, number>();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    this.tally.set(id, statuses);
    if (answer.status >= 300) return;
    for (const [name, value] of Object.entries(pathValues(operation, golden))) {
      this.#known.add(name, decodeURIComponent(value));
    }
    if (!operation.id.startsWith('docs.')) this.#known.learn(parsed(answer.text));
  }

  #new({ id }: Operation, faults: readonly string[], failing: string | null): string[] {
    return faults.filter((fault) => {
      const before = this.#findings.get(`${id} ${fault}`);
      if (before) before.times += 1;
      return !before || fault === failing;
    });
  }

  #find(operation: string, fault: string, curl: string): void {
    const before = this.#findings.get(`${operation} ${fault}`);
    if (before) before.times += 1;
    else this.#findings.set(`${operation} ${fault}`, { operation, fault, curl, times: 1 });
  }

  /**
   * Reports a hang when a request takes too long three times with no other request under way,
   * relative to an idle request on this machine.
   */
  async #askSlowAgain(): Promise<void> {
    for (const { operation, wire, origin } of this.#slow) {
      let turns = 3;
      while (turns > 0 && (await this.#isSlow(wire, origin))) turns -= 1;
      if (turns === 0) this.#find(operation, 'hangs', curlOf(origin, wire));
    }
  }

  async #isSlow(wire: Wire, origin: string): Promise<boolean> {
    const line = this.#lineTo(origin);
    const idle: Wire = {
      method: 'GET',
      target: '/livez',
      headers: [],
      body: null,
      isChunked: false,
    };
    const { tookMs: idleMs } = await send(line, idle);
    const { tookMs } = await send(line, wire);
    return tookMs > slowMs + 10 * idleMs;
  }

  #unreached(): string[] {
    return operations.flatMap(({ id, replies }) => {
      const statuses = [...(this.tally.get(id)?.keys() ?? [])];
      const isDone = statuses.some((status) => status < 400) || id in neverGood;
      // A public operation without input declares no fault of the caller, except those of every
      // operation: an unknown version (400) and too large headers (431).
      const canRefuse = [...replies.keys()].some(
        (status) => status > 400 && status < 500 && status !== 431,
      );
      const isRefused = !canRefuse || statuses.some((status) => status >= 400);
      return [
        ...(isDone ? [] : [`${id}: no success`]),
        ...(isRefused ? [] : [`${id}: no refusal`]),
      ];
    });
  }
}

/** Returns a pseudo-random caller address in a private network. */
function addressOf(turn: number): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256').update(String(turn)).digest();
  return `10.${a}.${b}.${c}`;
}

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readInt32BE();

/** Sends the requests, each derived from the seed and the objects known by then. */
export function runCampaign(stage: Stage, options: CampaignOptions): Promise<Outcome> {
  return new Campaign(stage, options).run();
}
