import type { Run } from '../../../cache/records.js'
import { isSampled as isSampledRequest } from '../../../cache/facts/sampled.js'
import type { Sample, SampleItem } from '../../../cache/store.js'
import type { MatchCounts } from '../../../stages/judge/statistics/stability/detect-change.js'

/** The answers to a doc that are compared: one for each choice. */
export interface DocAnswers {
  readonly task: string
  readonly index: number
  readonly id: string
  readonly answers: readonly ComparableAnswer[]
}

/** The parts of an answer that are compared. */
export interface ComparableAnswer {
  readonly text: string
  readonly logprob?: number
  /** The model name that the server reported, if it differs from the requested one. */
  readonly served?: string
}

/** Log-likelihoods of an unchanged model differ by rounding in other batches. */
const logprobTolerance = 1e-3

/** Tells whether a doc has the same answers: equal texts, and log-likelihoods that differ by at most 0.001. */
export const areAnswersEqual = (a: readonly ComparableAnswer[], b: readonly ComparableAnswer[]): boolean =>
  a.length === b.length &&
  a.every(({ text, logprob = 0 }, i) => {
    const other = b[i]
    return other?.text === text && Math.abs(logprob - (other.logprob ?? 0)) <= logprobTolerance
  })

/** The answers of a run before its recheck. */
export interface RecheckSource {
  /** The completely answered docs, with the answers of their first samples. */
  readonly docs: readonly DocAnswers[]
  /** The number of docs with two equal first samples. Absent if the run has one sample of each doc. */
  readonly repeats?: MatchCounts
  /** Whether requests were sampled, so that answers differ by chance. */
  readonly isSampled: boolean
}

/** Reads the answers of a run. */
export async function readAnswers(run: Run, samples: AsyncIterable<Sample>): Promise<RecheckSource> {
  const docs: DocAnswers[] = []
  let isSampled = false
  let [matches, n] = [0, 0]
  for await (const sample of samples) {
    const { task, index, id, items } = sample
    const [first, second] = groupSamples(items)
    if (first === undefined) continue
    isSampled ||= items.some(
      ({ request }) => request !== undefined && isSampledRequest(request.generation, run.asked.model),
    )
    docs.push({ task: run.asked.tasks[task]?.name ?? '', index, id, answers: first })
    if (second === undefined) continue
    n += 1
    matches += Number(areAnswersEqual(first, second))
  }
  return { docs, isSampled, ...(n === 0 ? {} : { repeats: { matches, n } }) }
}

/** The answers of each sample of a doc, in the order of samples and choices. A sample with a missing answer is left out. */
function groupSamples(items: readonly SampleItem[]): readonly (readonly ComparableAnswer[])[] {
  const samples = new Map<number, (ComparableAnswer | undefined)[]>()
  for (const { sample, response } of items) {
    const own = samples.get(sample) ?? []
    samples.set(sample, own)
    if (response === undefined) own.push(undefined)
    else {
      const { text, logprob } = response.body
      const { served } = response.meta
      own.push({ text, ...(logprob !== undefined && { logprob }), ...(served !== undefined && { served }) })
    }
  }
  return [...samples]
    .sort(([a], [b]) => a - b)
    .flatMap(([, answers]) => {
      const definedAnswers = answers.filter(answer => answer !== undefined)
      return definedAnswers.length === answers.length ? [definedAnswers] : []
    })
}
