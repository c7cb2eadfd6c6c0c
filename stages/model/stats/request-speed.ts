/** The times when one request was sent, and when its answer began and ended. All times use one clock and one unit. */
export interface RequestTimes {
  readonly start: number
  /** The time when the first token arrived. Undefined if the answer was not streamed. */
  readonly firstToken: number | undefined
  readonly end: number
  /** The answer's tokens, including reasoning. */
  readonly tokens: number
}

/** The speed of one request, in the unit of the times. */
export interface RequestSpeed {
  readonly endToEnd: number
  readonly timeToFirstToken: number | undefined
  /** The time for each token from the second on. Undefined for a single token, or without `firstToken`. */
  readonly timePerOutputToken: number | undefined
  /** Tokens per unit of time after the first, which a reader of the stream sees. 0 if it is unknown. */
  readonly streamSpeed: number
  /** Tokens per unit of time, including the wait for the first one. 0 if no time passed. */
  readonly tokenRate: number
}

/**
 * Computes TTFT = first token − start, TPOT = (E2E − TTFT) / (tokens − 1), and stream speed = 1 / TPOT.
 *
 * Source: lmms-eval, docs/advanced/throughput_metrics.md, and `calculate_token_throughput` in its
 * models/model_utils/gen_metrics.py; the same as vLLM's and NVIDIA GenAI-Perf's TTFT and TPOT (inter-token latency).
 */
export function requestSpeed({ start, firstToken, end, tokens }: RequestTimes): RequestSpeed {
  const endToEnd = end - start
  const timeToFirstToken = firstToken === undefined ? undefined : firstToken - start
  const timePerOutputToken =
    timeToFirstToken === undefined || tokens < 2 ? undefined : (endToEnd - timeToFirstToken) / (tokens - 1)
  return {
    endToEnd,
    timeToFirstToken,
    timePerOutputToken,
    streamSpeed: timePerOutputToken === undefined || timePerOutputToken === 0 ? 0 : 1 / timePerOutputToken,
    tokenRate: tokenRate(tokens, endToEnd),
  }
}

/** Computes a rate, which is 0 if no time passed. Source: lmms-eval 0.7.2, `calculate_token_throughput`. */
export const tokenRate = (tokens: number, time: number): number => (time > 0 ? tokens / time : 0)
