import type { Json } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Distribution, Histogram } from '../../../stages/model/stats/distribution.js'
import { lmmsSummary } from '../../../stages/model/stats/lmms-summary.js'
import type { RunStats, SpreadName, TokenSums } from '../../../stages/model/stats/run-stats.js'

/** The distributions of single requests, as named in results JSON. Milliseconds. */
const spreads: Readonly<Record<SpreadName, string>> = {
  latency: 'latency_ms',
  endToEnd: 'end_to_end_ms',
  firstToken: 'time_to_first_token_ms',
  perOutputToken: 'time_per_output_token_ms',
  queue: 'queue_ms',
  connect: 'connect_ms',
}

/** The section `throughput` of results JSON. Milliseconds, bytes, dollars, and rates per second of busy time. */
export const throughputJson = (figures: RunStats): Json => ({
  ...measuredJson(figures),
  timeline: timelineJson(figures),
  lmms_eval: lmmsJson(figures),
  ...(figures.tasks && { tasks: Object.fromEntries(figures.tasks.map(task => [task.task, measuredJson(task)])) }),
})

/** The values of a run or of one of its tasks. */
type Measured = Omit<RunStats, 'timeline' | 'pauses' | 'tasks'>

function measuredJson(figures: Measured): JsonObject {
  const { answers, tokens, batchTokens, bytes, cost, rates, concurrency } = figures
  const names = Object.entries(spreads) as [SpreadName, string][]
  return {
    requests: requestsJson(figures),
    tokens: tokensJson(tokens),
    ...(answers.batch > 0 && { batch_tokens: tokensJson(batchTokens) }),
    ...(figures.hedges && { hedge_tokens_at_most: tokensJson(figures.hedges.tokens) }),
    bytes: { sent: bytes.sent, received: bytes.received },
    ...(cost && { cost: { usd: Number(cost.usd.toPrecision(12)), requests: cost.priced } }),
    busy_ms: figures.busyMs,
    first_at: timestamp(figures.from),
    last_at: timestamp(figures.to),
    requests_per_second: rates.requests,
    output_tokens_per_second: rates.outputTokens,
    input_tokens_per_second: rates.inputTokens,
    concurrency: { mean: concurrency.mean, peak: concurrency.peak },
    ...Object.fromEntries(names.map(([name, key]) => [key, spreadJson(figures.spread[name])])),
  }
}

const requestsJson = ({ answers, attempts, hedges }: Measured): Json => ({
  asked: answers.asked,
  from_store: answers.fromStore,
  batch: answers.batch,
  attempts: attempts.sent,
  retries: attempts.retries,
  ...(hedges && { hedges: hedges.sent, hedges_won: hedges.won }),
  throttled: attempts.throttled,
  throttled_share: attempts.sent === 0 ? null : attempts.throttled / attempts.sent,
})

const timelineJson = ({ timeline, pauses }: RunStats): Json => ({
  step_ms: timeline.step,
  concurrency: timeline.concurrency,
  requests_per_second: timeline.requests,
  output_tokens_per_second: timeline.tokens,
  pauses: pauses.map(({ at, lasted }) => ({ at_ms: at, lasted_ms: lasted })),
})

const timestamp = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString()

const tokensJson = ({ input, output, reasoning, cached, counted }: TokenSums): Json => ({
  input,
  output,
  total: input + output,
  reasoning,
  cached,
  requests: counted,
})

function spreadJson(spread: Distribution | undefined): Json {
  if (spread === undefined) return null
  const { n, mean, sd = null, min, p50, p90, p99, max, histogram } = spread
  return { n, mean, sd, min, p50, p90, p99, max, histogram: convertHistogram(histogram) }
}

/** Counts by upper bound, without empty ones. Bounds have a decimal point, because JavaScript moves keys like `100` to the front. */
const convertHistogram = ({ le, counts }: Histogram): Json =>
  Object.fromEntries(counts.flatMap((count, index) => (count === 0 ? [] : [[boundName(le[index]), count]])))

const boundName = (bound = Infinity): string => (Number.isInteger(bound) ? bound.toFixed(1) : bound.toString())

/** Makes the stats under lmms-eval's names, in seconds. lmms-eval sums the time over requests, so its speed is the speed of one stream. */
function lmmsJson({ spread: { latency, firstToken, perOutputToken }, tokens }: RunStats): Json {
  if (latency === undefined) return {}
  const call = {
    total_gen_tokens: tokens.output,
    total_elapsed_time: latency.histogram.sum / 1000,
    total_requests: latency.n,
    ...(firstToken && { ttft: firstToken.mean / 1000 }),
    ...(perOutputToken && { tpot: perOutputToken.mean / 1000 }),
  }
  return lmmsSummary([call])
}
