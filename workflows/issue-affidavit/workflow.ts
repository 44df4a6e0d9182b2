import {
  ActivityFailure,
  ApplicationFailure,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import { affidavitFaults, type AffidavitFault } from '../affidavit-faults.ts';
import { proxyAffidavit } from '../proxies.ts';
import type { IssueAffidavitInput, IssuedAffidavit } from './messages.ts';

const { issueAffidavit: issue, failAffidavit } = proxyAffidavit();

/** Waits between attempts to issue an affidavit. After the last attempt the workflow gives up. */
const waitsMs = [1_000, 2_000, 4_000];

/**
 * Issues the one affidavit of a decided check. Every step of the activity can be repeated: the
 * content was frozen with the decision, and the object store accepts one file per key. The workflow
 * fails if the affidavit cannot be issued, so that it can be started again under the same id.
 */
export async function issueAffidavit(input: IssueAffidavitInput): Promise<IssuedAffidavit> {
  const subject = `affidavit of \`trust-check/${input.link_session_id}\``;
  setCurrentDetails(`**signing** the ${subject}`);
  for (let tries = 0; ; tries += 1) {
    try {
      const issued = await issue({ affidavit_id: input.affidavit_id });
      setCurrentDetails(
        `**available**: the ${subject}, sealed as ${issued.pades_level}, ` +
          `sha256 \`${issued.sha256}\``,
      );
      return issued;
    } catch (error) {
      const reason = faultOf(error);
      if (!reason) throw error;
      const waitMs = waitsMs[tries];
      if (waitMs === undefined) {
        await failAffidavit({ affidavit_id: input.affidavit_id, reason });
        setCurrentDetails(`**failed**: the ${subject}, \`${reason}\``);
        throw ApplicationFailure.nonRetryable(`the affidavit was given up`, reason);
      }
      await sleep(waitMs, { summary: `before try ${tries + 2} of ${waitsMs.length + 1}` });
    }
  }
}

function faultOf(error: unknown): AffidavitFault | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  return affidavitFaults.find((fault) => fault === type);
}
