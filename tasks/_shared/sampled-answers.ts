import { countsOf } from '../../base/counts.js'

/** One of several answers to the same question. */
export interface SampledAnswer {
  readonly answer: string
  readonly isRight: boolean
}

/**
 * Of the first 2, 4, 8 … answers: `cov@n`, whether one is right, and `maj@n`, whether the answer that most of them give is right (of equally
 * many the first).
 */
export function valuesOfSamples(answers: readonly SampledAnswer[]): Readonly<Record<string, number>> {
  const values: Record<string, number> = {}
  for (let n = 2; n <= answers.length; n *= 2) {
    const first = answers.slice(0, n)
    values[`cov@${n}`] = Number(first.some(({ isRight }) => isRight))
    values[`maj@${n}`] = Number(mostGiven(first)?.isRight ?? false)
  }
  return values
}

/** `avg@n` of the same: the share of right ones. */
export function sharesOfSamples(answers: readonly SampledAnswer[]): Readonly<Record<string, number>> {
  const shares: Record<string, number> = {}
  for (let n = 2; n <= answers.length; n *= 2)
    shares[`avg@${n}`] = answers.slice(0, n).filter(({ isRight }) => isRight).length / n
  return shares
}

function mostGiven(answers: readonly SampledAnswer[]): SampledAnswer | undefined {
  const counts = countsOf(answers.map(({ answer }) => answer))
  const most = Math.max(...counts.values())
  return answers.find(({ answer }) => counts.get(answer) === most)
}
