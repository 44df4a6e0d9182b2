/** A token that broke a rule. The rule goes to the log, not to the caller. */
export class TokenRefused<Rule extends string = string> extends Error {
  override readonly name = 'TokenRefused';
  readonly rule: Rule;

  constructor(rule: Rule, reason: string) {
    super(reason);
    this.rule = rule;
  }
}
