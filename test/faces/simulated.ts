import { actionsOf, faceChallengeBytes, sequencesCount } from '../../domain/proofs/face/actions.ts';
import { chipPortrait, showFace } from '../../simulator/face/face.ts';
import { judgeAnswer } from './judge.ts';

/** Lets the simulated phone answer every challenge there is once; gives how many did not pass. */
export async function answerAll(): Promise<number> {
  let refused = 0;
  for (let drawn = 0; drawn < sequencesCount; drawn += 1) {
    const challenge = Buffer.alloc(faceChallengeBytes);
    challenge.writeUInt32BE(drawn, faceChallengeBytes - 4);
    const actions = actionsOf(challenge);
    const frames = await showFace(actions, undefined);
    const { verdict } = await judgeAnswer(chipPortrait(), frames, actions);
    if (verdict.verdict === 'passed') continue;
    refused += 1;
    const check = verdict.checks.find(({ result }) => result !== 'ok');
    console.log(`${actions.join(', ')}: ${verdict.reason_code}, ${check?.detail ?? ''}`);
  }
  console.log(`${sequencesCount - refused} of ${sequencesCount} passed`);
  return refused;
}
