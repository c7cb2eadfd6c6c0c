import { scored, unparsed, type MetricInput, type Verdict } from './define-metric.js'
import { targetIndexes } from './target.js'

/** The log-likelihood of each choice in its context, in order. @throws Error if the model returned none. */
export function choiceLogprobs({ bodies, record }: Pick<MetricInput, 'bodies' | 'record'>): readonly number[] {
  const choices = record.choices ?? []
  if (bodies.length !== choices.length && bodies.length !== 2 * choices.length)
    throw new Error(`${bodies.length} answers for ${choices.length} choices`)
  return readLogprobs(bodies.slice(0, choices.length))
}

/**
 * The difference between each choice's log-likelihood with and without its context, in order.
 *
 * @throws Error if the choices were not requested without context too.
 */
export function mutualInformation({ bodies, record }: Pick<MetricInput, 'bodies' | 'record'>): readonly number[] {
  const count = record.choices?.length ?? 0
  if (bodies.length !== 2 * count)
    throw new Error(`${bodies.length} answers for ${count} choices: each is asked with its context and without`)
  const alone = readLogprobs(bodies.slice(count))
  return readLogprobs(bodies.slice(0, count)).map((logprob, i) => logprob - (alone[i] ?? 0))
}

const readLogprobs = (bodies: MetricInput['bodies']): readonly number[] =>
  bodies.map((body, i) => {
    if (body.logprob === undefined) throw new Error(`answer ${i} has no log-likelihood`)
    return body.logprob
  })

/** The index of the largest value; the first one if several are equal. */
export function argmax(values: readonly number[]): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if ((values[i] ?? -Infinity) > (values[best] ?? -Infinity)) best = i
  return best
}

/** The index of the choice with the highest log-likelihood divided by `length`. */
export function chosenIndex(input: MetricInput, length: (choice: string) => number = () => 1): number {
  const choices = input.record.choices ?? []
  // lmms-eval takes the lowest value, which is the worst choice if the values are log-likelihoods.
  const sign = input.parity === 'lmms-eval' ? -1 : 1
  return argmax(choiceLogprobs(input).map((logprob, i) => (sign * logprob) / length(choices[i] ?? '')))
}

/**
 * Scores 1 if the choice with the highest log-likelihood divided by `length` is a target, else 0. If the target is
 * not among the choices, the value is 0 as in lmms-eval. The doc then counts as unparsed, since the data is broken.
 */
export function judgeChoice(input: MetricInput, length: (choice: string) => number): Verdict {
  const choices = input.record.choices ?? []
  const targets = targetIndexes(input.record.target, [choices], choices.length)
  if (targets.length === 0) return unparsed(`the target ${JSON.stringify(input.record.target)} is none of the choices`)
  return scored(targets.includes(chosenIndex(input, length)) ? 1 : 0)
}
