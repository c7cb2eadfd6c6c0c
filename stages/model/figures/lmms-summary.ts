/** One call as lmms-eval logs it: seconds, tokens, and whatever other numbers its model gave. */
export interface LoggedCall {
  readonly total_elapsed_time: number
  readonly total_gen_tokens: number
  readonly [figure: string]: number
}

const summed = new Set(['total_elapsed_time', 'total_gen_tokens', 'avg_speed'])

/**
 * A run's summary in the words of lmms-eval, to be held beside its own: sums of tokens and of time, their ratio as
 * `avg_speed`, and plain means of every other number.
 *
 * Time is summed over calls, also over those that ran at once. So with more than one request in flight `avg_speed` is the
 * speed of one stream, and not what the server gave in all.
 *
 * Source: lmms-eval 0.7.2, `summarize_logged_metrics` in models/model_utils/gen_metrics.py.
 */
export function lmmsSummary(calls: readonly LoggedCall[]): Readonly<Record<string, number>> {
  if (calls.length === 0) return {}
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const tokens = sum(calls.map(call => call.total_gen_tokens))
  const time = sum(calls.map(call => call.total_elapsed_time))
  const others = new Set(calls.flatMap(call => Object.keys(call).filter(name => !summed.has(name))))
  const means = [...others].map(name => {
    const values = calls.flatMap(call => call[name] ?? [])
    return [`avg_${name}`, sum(values) / values.length] as const
  })
  return {
    total_gen_tokens: tokens,
    total_elapsed_time: time,
    avg_speed: time > 0 ? tokens / time : 0,
    ...Object.fromEntries(means),
  }
}

/** Tokens of a text as lmms-eval guesses them where no tokenizer is at hand. Source: lmms-eval 0.7.2, `space_tokenizer`. */
export const lmmsSpaceTokens = (text: string): number => 1.5 * text.split(' ').length
