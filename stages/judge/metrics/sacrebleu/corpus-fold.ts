import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { sumFold } from '../../aggregations/sum-fold.js'
import type { Fold } from '../../define/define-aggregation.js'

/** Statistics as a list of numbers, which are added up over segments. */
export interface TermsOf<Statistics> {
  list(statistics: Statistics): readonly number[]
  read(sums: ArrayLike<number>): Statistics
}

/** Computes the statistics of segments and turns them into a corpus score. */
interface Corpus<Statistics> {
  readonly statistics: z.ZodType<Statistics>
  /** Computes the statistics of a segment that is given as texts. */
  compare(answer: string, references: readonly string[]): Statistics
  readonly terms: TermsOf<Statistics>
  /** Computes the corpus's score. */
  score(total: Statistics): number
  /** Returns the note with the signature, if there is one. */
  note?(references: ReferenceCount): string
}

/**
 * A reference or a list of them, and the answer or a list of one answer, as `process_results` of lmms-eval's tasks
 * returns them.
 */
const texts = z.tuple([
  z.union([z.string().transform(reference => [reference]), z.array(z.string())]),
  z.union([z.string(), z.tuple([z.string()]).transform(([answer]) => answer)]),
])

const referenceCount = z.looseObject({ nrefs: z.int().min(1) })

/**
 * Sums statistics segment by segment. A value is that of the metric (statistics with `nrefs`), or `[reference(s),
 * answer]`.
 */
export function corpusFold<Statistics>(corpus: Corpus<Statistics>): Fold {
  let references: ReferenceCount | undefined
  let length: number | undefined
  const combine = (sums: ArrayLike<number>): number => corpus.score(corpus.terms.read(sums))
  const sums = sumFold({
    combine,
    read(value) {
      const pair = texts.safeParse(value)
      const segment = pair.success
        ? { statistics: corpus.compare(pair.data[1], pair.data[0]), nrefs: pair.data[0].length }
        : readSegment(value, corpus.statistics)
      references = withReferences(references, segment.nrefs)
      const terms = corpus.terms.list(segment.statistics)
      length ??= terms.length
      checkOrders(terms.length, length)
      return terms
    },
  })
  return {
    ...sums,
    finish() {
      if (references === undefined) throw new Error('internal error: a corpus without segments has no score')
      return { ...sums.finish(), ...(corpus.note && { note: corpus.note(references) }) }
    },
  }
}

function readSegment<Statistics>(value: Json, schema: z.ZodType<Statistics>) {
  const statistics = schema.safeParse(value)
  const counted = referenceCount.safeParse(value)
  if (statistics.success && counted.success) return { statistics: statistics.data, nrefs: counted.data.nrefs }
  const valueText = JSON.stringify(value).slice(0, 200)
  throw new Error(`it takes the metric's statistics or [reference(s), answer], not ${valueText}`)
}

/** Checks that a segment's statistics add to those before. @throws Error if their lengths differ. */
export function checkOrders(length: number, before: number): void {
  if (length !== before) throw new Error(`statistics of ${length} numbers don't add to those of ${before}`)
}

/** Returns some of the sums as a list. */
export const sliceSums = (sums: ArrayLike<number>, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => sums[from + at] ?? 0)

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
