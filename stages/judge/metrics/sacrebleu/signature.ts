/** The version of sacrebleu whose numbers these are, to the digit; it stands in each signature. */
const referenceVersion = '2.6.0'

/**
 * sacrebleu's signature: all that another must know to meet the same number.
 * `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`
 */
export function signature(references: ReferenceCount, fields: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries({ nrefs: references, ...fields, version: referenceVersion })
  return pairs.map(([name, value]) => `${name}:${value}`).join('|')
}

/** How many references each segment has; `var` where not all have the same. */
export type ReferenceCount = number | 'var'

/** What is known of the segments before (nothing at the first), and one more. */
export const withReferences = (before: ReferenceCount | undefined, references: number): ReferenceCount =>
  before === undefined || before === references ? references : 'var'

export const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no')
