import type { AffidavitContent } from '../../../activities/affidavit/content.ts';
import { rendererId } from '../../../activities/affidavit/renderer-id.ts';

/** What a build of before wrote: its form, and the renderer it named beside the same fonts. */
export interface EarlierForm {
  readonly schema: string;
  readonly renderer: string;
  readonly isMarked: boolean;
  readonly namesReviewer: boolean;
  readonly saysRule?: boolean;
  readonly saysForm?: boolean;
  readonly bearsToken?: boolean;
}

const third = {
  schema: 'trustcheck-affidavit/3',
  renderer: renderedBy(3),
  isMarked: true,
} as const;

/** Every form that affidavits were sealed in before this one, by what it is called here. */
export const earlierForms: readonly (readonly [string, EarlierForm])[] = [
  [
    'the sixth form',
    {
      schema: 'trustcheck-affidavit/6',
      renderer: renderedBy(7),
      isMarked: true,
      namesReviewer: true,
      saysRule: true,
      saysForm: true,
    },
  ],
  [
    'the fifth form',
    {
      schema: 'trustcheck-affidavit/5',
      renderer: renderedBy(5),
      isMarked: true,
      namesReviewer: true,
      saysRule: true,
    },
  ],
  [
    'the fourth form',
    {
      schema: 'trustcheck-affidavit/4',
      renderer: renderedBy(4),
      isMarked: true,
      namesReviewer: true,
    },
  ],
  ['the third form with its reviewer', { ...third, namesReviewer: true }],
  ['the third form without a reviewer', { ...third, namesReviewer: false }],
  [
    'the second form',
    {
      schema: 'trustcheck-affidavit/2',
      renderer: renderedBy(2),
      isMarked: false,
      namesReviewer: false,
    },
  ],
];

/** A content as a build of before wrote it. */
export function inForm(content: AffidavitContent, form: EarlierForm): Record<string, unknown> {
  const { development, decision, proofs, verified_claims_token: token, ...told } = content;
  const { reviewer, level, rule, ...decided } = decision;
  return {
    ...told,
    ...(form.isMarked ? { development } : {}),
    ...(form.bearsToken ? { verified_claims_token: token } : {}),
    proofs: proofs.map(({ evidence_form, ...proof }) => ({
      ...proof,
      ...(form.saysForm ? { evidence_form } : {}),
    })),
    decision: {
      ...decided,
      ...(form.namesReviewer ? { reviewer } : {}),
      ...(form.saysRule ? { level, rule } : {}),
    },
    schema: form.schema,
    renderer: form.renderer,
  };
}

function renderedBy(version: number): string {
  return `trustcheck-pages/${version} ${rendererId.split(' ')[1]}`;
}
