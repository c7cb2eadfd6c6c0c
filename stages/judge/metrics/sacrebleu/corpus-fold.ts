import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { Fold, Summary } from '../../define/define-aggregation.js'

/** How the statistics of segments are computed and turned into a corpus score. */
interface Corpus<Statistics> {
  readonly statistics: z.ZodType<Statistics>
  /** Computes the statistics of a segment that is given as texts. */
  compare(answer: string, references: readonly string[]): Statistics
  plus(a: Statistics, b: Statistics): Statistics
  summarise(total: Statistics, references: ReferenceCount): Summary
}

/**
 * A reference or a list of them, and the answer or a list of one answer, as `process_results` of lmms-eval's tasks
 * returns them.
 */
const texts = z.tuple([
  z.union([z.string().transform(one => [one]), z.array(z.string())]),
  z.union([z.string(), z.tuple([z.string()]).transform(([one]) => one)]),
])

const referenceCount = z.looseObject({ nrefs: z.int().min(1) })

/**
 * Sums statistics segment by segment. A value is that of the metric (statistics with `nrefs`), or `[reference(s),
 * answer]`.
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

/** Adds two lists element by element. @throws Error if their lengths differ. */
export function plusEach(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length) throw new Error(`statistics of ${b.length} orders don't add to those of ${a.length}`)
  return a.map((value, i) => value + (b[i] ?? 0))
}

/** The version of sacrebleu whose numbers are reproduced exactly. It is part of each signature. */
const referenceVersion = '2.6.0'

/**
 * sacrebleu's signature: everything needed to reproduce the number, such as
 * `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`.
 */
export function signature(references: ReferenceCount, fields: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries({ nrefs: references, ...fields, version: referenceVersion })
  return pairs.map(([name, value]) => `${name}:${value}`).join('|')
}

/** The number of references of each segment; `var` if it differs. */
export type ReferenceCount = number | 'var'

/** Combines the count of the segments so far, if any, with that of one more. */
export const withReferences = (before: ReferenceCount | undefined, references: number): ReferenceCount =>
  before === undefined || before === references ? references : 'var'

export const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no')
