/** A change of the workflows that would break running ones. */
export interface Mutation {
  readonly change: string;
  /** The recorded history that must not replay with the change. */
  readonly breaks: string;
  /** The replaced text of the bundle; it occurs exactly once, except for names. */
  readonly from: string;
  readonly to: string;
}

const sdk = '_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__';

export const mutations: readonly Mutation[] = [
  {
    change: 'a step under another name',
    breaks: 'trustCheck/passed.json',
    from: 'const { judgeProof } = ',
    to: 'const { takeStep: judgeProof } = ',
  },
  {
    change: 'two steps in another order',
    breaks: 'webhookDelivery/delivered.json',
    from: 'let askedMs = 0;',
    to: 'let askedMs = 0; await closeWebhookDelivery({});',
  },
  {
    change: 'a step for another',
    breaks: 'trustCheck/canceled.json',
    from: 'return inTurn(()=>takeStep(',
    to: 'return inTurn(()=>decideTrustCheck(',
  },
  {
    change: 'a timer more, before a step',
    breaks: 'trustCheck/three-proofs.json',
    from: 'return await judgeWith(',
    to: `await (0,${sdk}.sleep)(1); return await judgeWith(`,
  },
  {
    change: 'no timer',
    breaks: 'trustCheck/abandoned.json',
    from: '(()=>run.isOver() || deadlineMs() < wakeMs, waitMs, {',
    to: '(()=>run.isOver() || deadlineMs() < wakeMs, undefined, {',
  },
  {
    change: 'attributes that are not set at the end',
    breaks: 'trustCheck/review-approved.json',
    from: `(0,${sdk}.upsertSearchAttributes)([`,
    to: 'void ([',
  },
  {
    change: 'no wait between two looks at a receipt',
    breaks: 'deviceReceipt/followed.json',
    from: `await (0,${sdk}.sleep)(seconds * 1000`,
    to: 'await void (seconds * 1000',
  },
  {
    change: 'a second signature',
    breaks: 'signing/certificate.json',
    from: 'return sign(request);',
    to: 'await sign(request); return sign(request);',
  },
  {
    change: 'a step more',
    breaks: 'issueAffidavit/passed.json',
    from: 'const issued = await issue({',
    to: 'await issue({ affidavit_id: input.affidavit_id }); const issued = await issue({',
  },
  {
    change: 'no wait before a further attempt',
    breaks: 'webhookDelivery/retried.json',
    from: 'if (waitMs > 0) {',
    to: 'if (false) {',
  },
  {
    change: 'an end that nobody is told of',
    breaks: 'webhookDelivery/exhausted.json',
    from: 'await closeWebhookDelivery({',
    to: 'void ({',
  },
  {
    change: 'a meeting without a place',
    breaks: 'meeting/held.json',
    from: 'await openConference({',
    to: '({',
  },
  {
    change: 'a report that is not noted',
    breaks: 'linkInvitation/bounced.json',
    from: 'const status = next();',
    to: 'const status = null;',
  },
  {
    change: 'no further wait after a delay',
    breaks: 'linkInvitation/deferred.json',
    from: `known === 'deferred'`,
    to: `known === 'failed'`,
  },
  {
    change: 'no wait for the report',
    breaks: 'linkInvitation/unreported.json',
    from: '(()=>next() !== null, Math.max(',
    to: '(()=>true, Math.max(',
  },
  {
    change: 'a count more after the last',
    breaks: 'prescreenRollup/rolled.json',
    from: 'if (step.is_done) break;',
    to: 'if (step.is_done && days < 0) break;',
  },
  {
    change: 'a step more after the last',
    breaks: 'retention/removed.json',
    from: 'is_done: isOver',
    to: 'is_late: isOver',
  },
  {
    change: 'a place that is not kept',
    breaks: 'archiveRenewal/failed.json',
    from: 'is_done: isLast',
    to: 'is_late: isLast',
  },
];
