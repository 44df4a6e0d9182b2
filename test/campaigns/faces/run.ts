import { takeFaces } from '../../../activities/proofs/face/read.ts';
import { actionsOf, faceChallengeBytes } from '../../../domain/proofs/face/actions.ts';
import { faceActions } from '../../../domain/proofs/face/challenge.ts';
import type { SeenFace } from '../../../domain/proofs/face/reading.ts';
import { similarityOf } from '../../../domain/proofs/face/verify-face-match.ts';
import { answerWithFace, photographFace } from '../../../simulator/face/face-frames.ts';
import { samplePeople, samples, type Person } from '../../../simulator/face/people.ts';
import { attacks, type Attack } from '../../support/fixtures/faces/attacks.ts';
import { judgeAnswer } from '../../support/fixtures/faces/judge.ts';
import { answerAll } from '../../support/fixtures/faces/simulated.ts';
import { specimenPerson } from '../../support/fixtures/faces/specimen.ts';
import { seeded } from '../../support/fixtures/seeded.ts';
import { readOptions, readWords } from '../../support/runner/words.ts';

const usage = `npm run faces -- [simulated]
  measures how well faces are compared and which attacks pass the liveness check; 1 when an attack
  passed that must not; simulated: 1 when the simulated phone failed at a challenge
`;

/**
 * The conditions of the photographs that are compared with the portraits of each person and of
 * others.
 */
const conditions = [
  {},
  { yaw: 10 },
  { yaw: -10 },
  { pitch: 8 },
  { brightness: 0.45 },
  { blur: 2.5 },
  { grain: 25 },
  { yaw: 8, blur: 1.5, brightness: 0.6, grain: 12 },
];
const thresholds = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];

interface Shown {
  readonly person: Person;
  readonly portrait: SeenFace;
  readonly faces: readonly SeenFace[];
}

async function show(person: Person, seed: number): Promise<Shown | null> {
  const random = seeded(seed);
  const frames = await Promise.all(
    conditions.map(async ({ yaw = 0, pitch = 0, ...camera }) => ({
      image: await photographFace(person.head, { yaw, pitch }, { ...camera, random }),
    })),
  );
  const { reading } = await takeFaces({ portrait: person.portrait, frames });
  const portrait = reading.portrait.face;
  const faces = reading.frames.flatMap(({ face }) => face ?? []);
  return portrait && { person, portrait, faces };
}

/** People of one group are together in one picture, so they are different people. */
const differ = (one: Person, other: Person): boolean =>
  one !== other &&
  (one.group === other.group || [one, other].some((each) => each.group === 'specimen'));

function printRoc(shown: readonly Shown[]): void {
  const genuine = shown.flatMap(({ portrait, faces }) =>
    faces.map((face) => similarityOf(portrait, face)),
  );
  const impostor = shown.flatMap((one) =>
    shown
      .filter((other) => differ(one.person, other.person))
      .flatMap((other) => other.faces.map((face) => similarityOf(one.portrait, face))),
  );
  const share = (values: readonly number[], is: (value: number) => boolean): string =>
    `${((100 * values.filter(is).length) / values.length).toFixed(2)} %`;
  console.log(
    `${shown.length} people, ${genuine.length} genuine, ${impostor.length} impostor pairs`,
  );
  console.log('| similarity at least | false matches | false non-matches |\n|---|---|---|');
  for (const least of thresholds) {
    const row = [share(impostor, (s) => s >= least), share(genuine, (s) => s < least)];
    console.log(`| ${least} | ${row.join(' | ')} |`);
  }
  const nearest = Math.max(...impostor);
  console.log(`nearest impostor ${nearest}, farthest genuine ${Math.min(...genuine)}`);
  const missed = share(genuine, (similarity) => similarity <= nearest);
  console.log(`false non-matches at zero false matches: ${missed}`);
}

/** Draws a challenge, or the first one that an attack waits for. */
function drawn(random: () => number, attack: Pick<Attack, 'waitsFor' | 'isOf'> = {}) {
  const { waitsFor = faceActions, isOf = () => true } = attack;
  for (;;) {
    const bytes = Uint8Array.from({ length: faceChallengeBytes }, () => random() * 256);
    const actions = actionsOf(bytes);
    if (actions.every((action) => waitsFor.includes(action)) && isOf(actions)) return actions;
  }
}

/** Answers per person to challenges, and per attack that is not always detected. */
const answersEach = 3;

async function printLiveness(people: readonly Person[]): Promise<number> {
  const costs = new Map<number, number[]>();
  const rows = new Map<string, string[]>();
  const note = (row: string, outcome: string): void => {
    rows.set(row, [...(rows.get(row) ?? []), outcome]);
  };
  let passedWrong = 0;
  for (const [index, person] of people.entries()) {
    const random = seeded(index + 1);
    for (let answer = 0; answer < answersEach; answer += 1) {
      const actions = drawn(random);
      const frames = await answerWithFace(person.head, actions, { random });
      const own = await judgeAnswer(person.portrait, frames, actions);
      costs.set(frames.length, [...(costs.get(frames.length) ?? []), own.cpuMs]);
      note('the person', own.verdict.reason_code ?? 'passed');
      if (own.verdict.verdict !== 'passed') {
        console.error(person.name, actions.join(), JSON.stringify(own.verdict.checks.at(-1)));
      }
    }
    const attacker = people.find((other) => differ(person, other));
    for (const attack of attacker ? attacks : []) {
      const { name, isHarmless, mayPass, frames: made } = attack;
      if (!attacker) continue;
      for (let answer = 0; answer < (mayPass ? answersEach : 1); answer += 1) {
        const actions = drawn(random, attack);
        const frames = await made(person, attacker, actions, random);
        const { verdict } = await judgeAnswer(person.portrait, frames, actions);
        if (verdict.verdict === 'passed' && !isHarmless && !mayPass) passedWrong += 1;
        note(name, verdict.reason_code ?? 'passed');
      }
    }
  }
  console.log('| answered by | outcomes |\n|---|---|');
  for (const [row, outcomes] of rows) {
    const counts = Map.groupBy(outcomes, (outcome) => outcome);
    const told = Array.from(counts, ([outcome, all]) => `${outcome} ${all.length}`);
    console.log(`| ${row} | ${told.join(', ')} |`);
  }
  for (const [frames, cpuMs] of costs) {
    const ranked = cpuMs.toSorted((one, other) => one - other);
    const told = [ranked[0], ranked[Math.trunc(ranked.length / 2)], ranked.at(-1)];
    const [least, median, most] = told.map((each) => (each ?? 0).toFixed(0));
    console.log(`${median} (${least} to ${most}) ms CPU a check of ${frames} frames`);
  }
  return passedWrong;
}

/**
 * Measures how faces are distinguished and which answers count as live; returns 1 as `usage` says.
 */
async function measure(): Promise<number> {
  const people = [await specimenPerson()];
  for (let number = 1; number <= samples; number += 1) people.push(...(await samplePeople(number)));
  const shown: Shown[] = [];
  for (const [index, person] of people.entries()) {
    const one = await show(person, index + 1);
    if (one) shown.push(one);
  }
  printRoc(shown);
  // A person who looks away in the photograph cannot look straight here.
  const facing = shown.filter(
    ({ portrait: { pose, eyes } }) =>
      Math.abs(pose.yaw) < 14 && Math.abs(pose.roll) < 25 && Math.min(eyes.left, eyes.right) > 0.15,
  );
  const passedWrong = await printLiveness(facing.map(({ person }) => person));
  console.log(`${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB resident`);
  return passedWrong === 0 ? 0 : 1;
}

const simulated = 'simulated';
const isSimulated = (words: string[]): boolean => {
  readWords(words, {}, [simulated]);
  return words.includes(simulated);
};
const read = readOptions(isSimulated, usage);
if (read.options === null) process.exitCode = read.code;
else process.exitCode = read.options ? Math.min(1, await answerAll()) : await measure();
