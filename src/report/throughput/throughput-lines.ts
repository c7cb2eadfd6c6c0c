import type { RunStats } from '../../../stages/model/stats/run-stats.js'
import { dollars, grouped, percent, rate, shortTime } from '../layout/numbers.js'

/**
 * The model's speed in two lines: `1,000 answers at 96.4/s · 1,930 tokens/s · p50 0.31 s · p90 0.52 s · p99 0.81 s`
 * and `12,000 tokens in · 24,000 out · $0.42`. Empty if the run sent nothing.
 */
export function throughputLines(figures: RunStats): string[] {
  const { answers, spread, rates, attempts } = figures
  if (answers.asked === 0) return []
  const { latency } = spread
  const speed = [
    `${grouped(answers.asked)} ${answers.asked === 1 ? 'answer' : 'answers'}${latency === undefined ? '' : ` at ${rate(rates.requests)}`}`,
    ...(rates.outputTokens > 0 ? [`${grouped(rates.outputTokens)} tokens/s`] : []),
    ...(latency === undefined
      ? []
      : [`p50 ${shortTime(latency.p50)}`, `p90 ${shortTime(latency.p90)}`, `p99 ${shortTime(latency.p99)}`]),
    ...(attempts.throttled === 0 ? [] : [throttledText(attempts.throttled, attempts.sent)]),
    ...(figures.hedges === undefined ? [] : [hedgeText(figures.hedges)]),
  ]
  return [speed.join(' · '), ...tokensLine(figures)]
}

/** `throttled 0.4 % (8 of 2,000 sent)` */
export const throttledText = (throttled: number, sent: number): string =>
  `throttled ${percent(throttled, sent)} (${grouped(throttled)} of ${grouped(sent)} sent)`

/** `hedged 12, won 5` */
export const hedgeText = ({ sent, won }: { readonly sent: number; readonly won: number }): string =>
  `hedged ${grouped(sent)}, won ${grouped(won)}`

function tokensLine({ tokens, batchTokens, answers, cost }: RunStats): string[] {
  const counted = tokens.counted + batchTokens.counted
  if (counted === 0) return []
  const parts = [
    `${grouped(tokens.input + batchTokens.input)} tokens in`,
    `${grouped(tokens.output + batchTokens.output)} out`,
    ...(cost === undefined || cost.priced === 0 ? [] : [costText(cost, answers.asked)]),
  ]
  return [
    `${parts.join(' · ')}${counted < answers.asked ? ` (of ${grouped(counted)} of ${grouped(answers.asked)} answers)` : ''}`,
  ]
}

/** `$0.42`, or `at least $0.42` if some answers have no token count. */
export const costText = ({ usd, priced }: { readonly usd: number; readonly priced: number }, asked: number): string =>
  `${priced < asked ? 'at least ' : ''}${dollars(usd)}`
