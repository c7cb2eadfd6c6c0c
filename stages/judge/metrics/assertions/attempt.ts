/** Conditions on the attempt that gave an answer: 1 if they hold, else 0, with the reason in the doc's details. */
import { z } from 'zod'
import { defineMetric, scored, unparsed, type Verdict } from '../../define/define-metric.js'

const limit = z.strictObject({ max: z.number().positive() })
const common = { args: limit, higherIsBetter: true, range: [0, 1], reads: 'any', needsTimeLimit: false } as const

/** Shows a small number with three digits that count. */
const formatShort = (value: number): string => String(Number(value.toPrecision(3)))

function compare(value: number, max: number, unit: string): Verdict {
  if (value <= max) return scored(1)
  return scored(0, { reason: `${formatShort(value)} ${unit}, and at most ${max} are wanted` })
}

/**
 * 1 if the attempt that was answered took at most `max` seconds, else 0. Higher is better. Waits for a free slot and failed attempts before do not count. An
 * answer that came from the store keeps the duration of its attempt. If the duration is unknown, as in a batch, the value is unparsed.
 */
export const latency = defineMetric({
  id: 'latency',
  ...common,
  readsAttempt: 'latency',
  judge: ({ attempt }, { max }) =>
    attempt?.seconds === undefined
      ? unparsed('the duration of the attempt is unknown')
      : compare(attempt.seconds, max, 'seconds'),
})

/**
 * 1 if the answer cost at most `max` dollars, else 0. Higher is better. The cost is that of the tokens that the server counted, at the price of the model. If
 * the server counted none, or the price is unknown, the value is unparsed.
 */
export const cost = defineMetric({
  id: 'cost',
  ...common,
  readsAttempt: 'cost',
  judge({ attempt }, { max }) {
    if (attempt?.cost !== undefined) return compare(attempt.cost, max, 'dollars')
    const isCounted = attempt?.inputTokens !== undefined && attempt.outputTokens !== undefined
    return unparsed(isCounted ? 'the price of the model is unknown' : 'the server did not count the tokens')
  },
})
