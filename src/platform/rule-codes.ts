declare const isRuleCode: unique symbol;

/** The name of a rule of the business in `errors[].code`; its sentence stands alone. */
export type RuleCode = string & { readonly [isRuleCode]: true };

const meanings = new Map<string, string>();

/**
 * Declares the code of a rule, once, where the rule is. `meaning` is the line that the page of error codes shows. Another
 * noun that has the same rule takes the code from the service that declares it.
 */
export function ruleCode(code: string, meaning: string): RuleCode {
  if (meanings.has(code)) throw new Error(`Two rules have the code ${code}`);
  meanings.set(code, meaning);
  return code as RuleCode;
}

export function meaningOf(code: RuleCode): string {
  return meanings.get(code) ?? '';
}

/** Every code that is declared, by its name. */
export function ruleCodes(): { code: string; meaning: string }[] {
  const codes = [...meanings].map(([code, meaning]) => ({ code, meaning }));
  return codes.sort((left, right) => (left.code < right.code ? -1 : 1));
}

export const UPGRADE_API_VERSION = ruleCode(
  'upgrade_api_version',
  'The call needs a newer version of the interface; the message names it',
);
