/** A token that broke a rule: the log is told which, its caller is not. */
export class TokenRefused<Rule extends string = string> extends Error {
  override readonly name = 'TokenRefused';
  readonly rule: Rule;

  constructor(rule: Rule, reason: string) {
    super(reason);
    this.rule = rule;
  }
}
