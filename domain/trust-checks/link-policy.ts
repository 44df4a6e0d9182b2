import type { AssuranceLevel, CaptureRule, DuplicatesRule } from '../names.ts';

/** The rules that a link sets for its checks. */
export interface LinkPolicy {
  min_level?: AssuranceLevel;
  max_age_days?: number;
  allowed_countries?: string[];
  review_on_unsure?: boolean;
  web_allowed?: boolean;
  duplicates?: DuplicatesRule;
  capture?: CaptureRule;
}
