/** Combines the values of a doc's samples to one value, if a filter pipeline keeps several samples. */
import { z } from 'zod'
import { scored, unparsed, type Verdict } from '../define/define-metric.js'
import { passAtK } from '../aggregations/pass-at-k.js'

export const sampleRule = z.union([
  z.enum(['mean', 'first', 'max', 'min', 'majority']),
  z.strictObject({
    /** The probability that at least one of this many samples is right. */
    pass_at: z.int().min(1),
  }),
])

export type SampleRule = z.output<typeof sampleRule>

/**
 * The index of the sample that represents the most frequent answer; the first one if several are equally frequent. Samples
 * without an answer have no vote.
 *
 * Source: Wang et al. 2022, Self-Consistency (https://arxiv.org/abs/2203.11171).
 */
export function findMajority(answers: readonly (string | undefined)[]): number {
  const votes = new Map<string, { readonly index: number; count: number }>()
  for (const [index, answer] of answers.entries()) {
    if (answer === undefined) continue
    const vote = votes.get(answer) ?? { index, count: 0 }
    vote.count += 1
    votes.set(answer, vote)
  }
  return [...votes.values()].reduce((best, vote) => (vote.count > best.count ? vote : best), { index: 0, count: 0 })
    .index
}

/**
 * Combines the samples' verdicts, by default to the mean of their values. The result is unparsed if one of them is,
 * and `judge_failed` if one is.
 *
 * @throws Error if a value is not a number, or if `pass_at` gets other values than 0 and 1, or too few samples.
 */
export function overSamples(verdicts: readonly Verdict[], rule: SampleRule = 'mean'): Verdict {
  const [first] = verdicts
  if (first === undefined) throw new Error('the filters leave nothing of the answer')
  if (rule === 'first' || rule === 'majority' || (verdicts.length === 1 && typeof rule === 'string')) return first
  const values: number[] = []
  const details = verdicts.map(verdict => (verdict.type === 'judge_failed' ? null : (verdict.details ?? null)))
  const keptDetails = details.every(detail => detail === null) ? undefined : details
  let reason: string | undefined
  for (const verdict of verdicts) {
    if (verdict.type === 'judge_failed') return verdict
    if (verdict.type === 'unparsed') reason ??= verdict.reason
    values.push(readVerdictNumber(verdict))
  }
  const value = reduce(values, rule)
  return reason === undefined ? scored(value, keptDetails) : unparsed(reason, value, keptDetails)
}

function readVerdictNumber({ value }: Exclude<Verdict, { readonly type: 'judge_failed' }>): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  throw new Error(
    'the filters leave several samples, and its values are no numbers that could be averaged. End the pipeline with take_first or majority_vote, ' +
      'or give the metric `samples: first`',
  )
}

function reduce(values: readonly number[], rule: Exclude<SampleRule, 'first' | 'majority'>): number {
  if (rule === 'mean') return values.reduce((sum, value) => sum + value, 0) / values.length
  if (rule === 'max') return values.reduce((most, value) => Math.max(most, value), -Infinity)
  if (rule === 'min') return values.reduce((least, value) => Math.min(least, value), Infinity)
  const other = values.find(value => value !== 0 && value !== 1)
  if (other !== undefined) throw new Error(`pass_at counts samples of the value 0 or 1, and one is ${other}`)
  return passAtK({ n: values.length, c: values.filter(value => value === 1).length, k: rule.pass_at })
}
