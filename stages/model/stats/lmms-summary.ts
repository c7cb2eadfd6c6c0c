/** One call as lmms-eval logs it: seconds (`total_elapsed_time`), tokens (`total_gen_tokens`), and whatever its model gave. */
export type LoggedCall = Readonly<Record<string, number>>

/** How many requests a call stands for: the first of these that it has. */
const requestCounts = ['total_requests', 'request_count', 'num_requests']
const summed = new Set(['total_elapsed_time', 'total_gen_tokens', 'avg_speed', ...requestCounts])

/**
 * A run's summary in the words of lmms-eval, to be held beside its own: sums of tokens and of time, their ratio as
 * `avg_speed` (the mean of the calls' speeds where no time passed), time over requests as `avg_latency` where requests
 * were counted, and plain means of every other number.
 *
 * Time is summed over calls, also over those that ran at once. So with more than one request in flight `avg_speed` is the
 * speed of one stream, and not what the server gave in all.
 *
 * Source: lmms-eval 0.7.2, `summarize_logged_metrics` in models/model_utils/gen_metrics.py.
 */
export function lmmsSummary(calls: readonly LoggedCall[]): Readonly<Record<string, number>> {
  if (calls.length === 0) return {}
  const all = (name: string): readonly number[] => calls.flatMap(call => call[name] ?? [])
  const tokens = sum(all('total_gen_tokens'))
  const time = sum(all('total_elapsed_time'))
  const requests = sum(calls.flatMap(call => requestCounts.flatMap(name => call[name] ?? [])[0] ?? []))
  const others = new Set(calls.flatMap(call => Object.keys(call).filter(name => !summed.has(name))))
  return {
    total_gen_tokens: tokens,
    total_elapsed_time: time,
    avg_speed: time > 0 ? tokens / time : mean(all('avg_speed')),
    ...(requests > 0 ? { avg_latency: time / requests } : {}),
    ...Object.fromEntries([...others].map(name => [`avg_${name}`, mean(all(name))])),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length)

/** Tokens of a text as lmms-eval guesses them where no tokenizer is at hand. Source: lmms-eval 0.7.2, `space_tokenizer`. */
export const lmmsSpaceTokens = (text: string): number => 1.5 * text.split(' ').length
