/** When one request was sent, when its answer began and when it was whole, all by one clock and in one unit. */
export interface RequestTimes {
  readonly start: number
  /** When the first token came, if the answer came in pieces. */
  readonly firstToken: number | undefined
  readonly end: number
  /** Tokens of the answer, with those of its reasoning. */
  readonly tokens: number
}

/** In the unit of the times, or a count for each of it. */
export interface RequestSpeed {
  readonly endToEnd: number
  readonly timeToFirstToken: number | undefined
  /** From the second token on; undefined for a single one, or where it is not known when the first came. */
  readonly timePerOutputToken: number | undefined
  /** Tokens for each unit of time once they come: what one reader of the stream sees; 0 where it is not known. */
  readonly streamSpeed: number
  /** Tokens for each unit of time, waiting for the first one included; 0 for no time. */
  readonly tokenRate: number
}

/**
 * TTFT = first token − start; TPOT = (E2E − TTFT) / (tokens − 1); stream speed = 1 / TPOT.
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

/** Source: lmms-eval 0.7.2, `calculate_token_throughput`: 0 where no time has passed. */
export const tokenRate = (tokens: number, time: number): number => (time > 0 ? tokens / time : 0)
