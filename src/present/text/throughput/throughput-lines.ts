import { oneLine } from '../../../../base/text/visible-text.js'
import type { RunStats } from '../../../../stages/model/stats/run-stats.js'
import { formatQuantity, dollars, formatCount, percent, rate, shortTime } from '../../../../base/text/numbers.js'
import { clip } from '../layout/width.js'

/**
 * Formats the model's speed in two lines: `1,000 answers at 96.4/s · 1,930 tokens/s · p50 0.31 s · p90 0.52 s · p99 0.81 s` and `12,000 tokens in ·
 * 24,000 out · $0.42`. Empty if the run sent nothing.
 */
export function throughputLines(figures: RunStats): string[] {
  const { answers, spread, rates, attempts } = figures
  if (answers.asked === 0) return []
  const { latency } = spread
  const speed = [
    `${formatCount(answers.asked)} ${answers.asked === 1 ? 'answer' : 'answers'}${latency === undefined ? '' : ` at ${rate(rates.requests)}`}`,
    ...(rates.outputTokens > 0 ? [`${formatCount(rates.outputTokens)} tokens/s`] : []),
    ...(latency === undefined
      ? []
      : [`p50 ${shortTime(latency.p50)}`, `p90 ${shortTime(latency.p90)}`, `p99 ${shortTime(latency.p99)}`]),
    ...(attempts.throttled === 0 ? [] : [throttledText(attempts.throttled, attempts.sent)]),
    ...(figures.hedges === undefined ? [] : [hedgeText(figures.hedges)]),
  ]
  return [speed.join(' · '), ...tokensLine(figures)]
}

const shownServed = 3

/**
 * `answered by gpt-4.1-2025-04-14 (998 answers), as the server says: not the name that was asked`. Empty
 * if the server named none, or the one that was asked.
 */
export function servedLines({ served = [] }: RunStats): string[] {
  if (served.length === 0) return []
  const names = served
    .slice(0, shownServed)
    .map(({ model, answers }) => `${clip(oneLine(model), 80)} (${formatQuantity(answers, 'answer')})`)
  const more = served.length > shownServed ? ', …' : ''
  return [`answered by ${names.join(', ')}${more}, as the server says: not the name that was asked`]
}

/** `throttled 0.4 % (8 of 2,000 sent)` */
export const throttledText = (throttled: number, sent: number): string =>
  `throttled ${percent(throttled, sent)} (${formatCount(throttled)} of ${formatCount(sent)} sent)`

/** `hedged 12, won 5` */
export const hedgeText = ({ sent, won }: { readonly sent: number; readonly won: number }): string =>
  `hedged ${formatCount(sent)}, won ${formatCount(won)}`

function tokensLine({ tokens, batchTokens, answers, cost }: RunStats): string[] {
  const withCounts = tokens.counted + batchTokens.counted
  if (withCounts === 0) return []
  const parts = [
    `${formatCount(tokens.input + batchTokens.input)} tokens in`,
    `${formatCount(tokens.output + batchTokens.output)} out`,
    ...(cost === undefined || cost.priced === 0 ? [] : [costText(cost, answers.asked)]),
  ]
  return [
    `${parts.join(' · ')}${withCounts < answers.asked ? ` (of ${formatCount(withCounts)} of ${formatCount(answers.asked)} answers)` : ''}`,
  ]
}

/** `$0.42`, or `at least $0.42` if some answers have no token count. */
export const costText = (
  { usd, priced }: { readonly usd: number; readonly priced: number },
  answerCount: number,
): string => `${priced < answerCount ? 'at least ' : ''}${dollars(usd)}`
