/** One call as lmms-eval logs it: seconds (`total_elapsed_time`), tokens (`total_gen_tokens`), and the model's own metrics. */
export type LoggedCall = Readonly<Record<string, number>>

/** The fields that may hold a call's number of requests. The first that exists counts. */
const requestCounts = ['total_requests', 'request_count', 'num_requests']
const summed = new Set(['total_elapsed_time', 'total_gen_tokens', 'avg_speed', ...requestCounts])

/**
 * Summarizes a run like lmms-eval, to be compared with its summary. It sums tokens and time. `avg_speed` is their
 * ratio, or the mean of the calls' speeds if no time passed. `avg_latency` is time over requests, if requests were
 * counted. All other numbers become means.
 *
 * Time is summed over calls, even if they ran in parallel. With more than one request in flight, `avg_speed` is
 * therefore the speed of one stream and not that of the server.
 *
 * Source: lmms-eval 0.7.2, `summarize_logged_metrics` in models/model_utils/gen_metrics.py.
 */
export function lmmsSummary(calls: readonly LoggedCall[]): Readonly<Record<string, number>> {
  if (calls.length === 0) return {}
  const listValues = (name: string): readonly number[] => calls.flatMap(call => call[name] ?? [])
  const tokens = sum(listValues('total_gen_tokens'))
  const time = sum(listValues('total_elapsed_time'))
  const requests = sum(calls.flatMap(call => requestCounts.flatMap(name => call[name] ?? [])[0] ?? []))
  const otherNames = new Set(calls.flatMap(call => Object.keys(call).filter(name => !summed.has(name))))
  return {
    total_gen_tokens: tokens,
    total_elapsed_time: time,
    avg_speed: time > 0 ? tokens / time : mean(listValues('avg_speed')),
    ...(requests > 0 ? { avg_latency: time / requests } : {}),
    ...Object.fromEntries([...otherNames].map(name => [`avg_${name}`, mean(listValues(name))])),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length)

/** Estimates tokens as lmms-eval does without a tokenizer. Source: lmms-eval 0.7.2, `space_tokenizer`. */
export const lmmsSpaceTokens = (text: string): number => 1.5 * text.split(' ').length
