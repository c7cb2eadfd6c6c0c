import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { Fold, Summary } from '../../define/define-aggregation.js'

/** How the statistics of segments become the score of a corpus. */
interface Corpus<Statistics> {
  readonly statistics: z.ZodType<Statistics>
  /** Of a segment that comes as texts. */
  compare(answer: string, references: readonly string[]): Statistics
  plus(a: Statistics, b: Statistics): Statistics
  summarise(total: Statistics, references: ReferenceCount): Summary
}

/** A list of references, or one, and the answer, be it in a list of its own: what `process_results` of lmms-eval's tasks gives. */
const texts = z.tuple([
  z.union([z.string().transform(one => [one]), z.array(z.string())]),
  z.union([z.string(), z.tuple([z.string()]).transform(([one]) => one)]),
])

const referenceCount = z.looseObject({ nrefs: z.int().min(1) })

/**
 * Sums statistics segment by segment. A value is what the metric gives for a doc (its statistics, `nrefs` among them), or
 * `[reference(s), answer]`.
 */
export function corpusFold<Statistics>(corpus: Corpus<Statistics>): Fold {
  let total: Statistics | undefined
  let references: ReferenceCount = 0
  return {
    add(value) {
      const pair = texts.safeParse(value)
      const segment = pair.success
        ? { statistics: corpus.compare(pair.data[1], pair.data[0]), nrefs: pair.data[0].length }
        : readSegment(value, corpus.statistics)
      references = withReferences(total === undefined ? undefined : references, segment.nrefs)
      total = total === undefined ? segment.statistics : corpus.plus(total, segment.statistics)
    },
    finish() {
      if (total === undefined) throw new Error('internal error: a corpus without segments has no score')
      return corpus.summarise(total, references)
    },
  }
}

function readSegment<Statistics>(value: Json, schema: z.ZodType<Statistics>) {
  const statistics = schema.safeParse(value)
  const counted = referenceCount.safeParse(value)
  if (statistics.success && counted.success) return { statistics: statistics.data, nrefs: counted.data.nrefs }
  const shown = JSON.stringify(value).slice(0, 200)
  throw new Error(`it takes the metric's statistics or [reference(s), answer], not ${shown}`)
}

/** The sums of two lists, place by place. @throws Error where they are not as long. */
export function plusEach(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length) throw new Error(`statistics of ${b.length} orders don't add to those of ${a.length}`)
  return a.map((value, i) => value + (b[i] ?? 0))
}

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
