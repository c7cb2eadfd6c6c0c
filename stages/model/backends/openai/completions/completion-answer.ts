import { z } from 'zod'
import type { Usage } from '../../../../../cache/records.js'
import { field } from '../../http/protocol/failure.js'
import { tokenCount } from '../../http/protocol/request-parts.js'
import type { PromptLogprobs } from './completion-request.js'

/** A token of a prompt. */
export interface ScoredToken {
  /** The token as the server writes it, which may differ from the text. Undefined if the server does not state it. */
  readonly text: string | undefined
  /** The natural logarithm of its probability. Null for the first token, which has no context. */
  readonly logprob: number | null
  /** True if no other token was likelier. */
  readonly isTop: boolean
}

/** The tokens of a prompt, and perhaps of a generated text behind it. */
export interface ScoredText {
  readonly text: string
  readonly tokens: readonly ScoredToken[]
  /** True if the last token may have been generated. */
  readonly mayGoOn: boolean
  /** The server's offsets of the tokens, in code points. */
  readonly offsets?: readonly number[]
}

/** The scored prompt of a response, or why there is none. */
export type PromptScores = { readonly scored: ScoredText } | { readonly problem: string }

const echoed = z.object({
  text: z.string(),
  logprobs: z.object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number().nullable()),
    top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
    text_offset: z.array(z.number()).nullish(),
  }),
})

const withPromptLogprobs = z.object({
  prompt_logprobs: z.array(
    z
      .record(
        z.string(),
        z.object({ logprob: z.number(), rank: z.number().nullish(), decoded_token: z.string().nullish() }),
      )
      .nullable(),
  ),
})

/** Reads the log-probabilities of `prompt` from the JSON of a response. */
export function promptScores(body: unknown, prompt: string, way: PromptLogprobs): PromptScores {
  const choices = field(body, 'choices')
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const scores = way === 'echo' ? echoScores(choice, prompt) : ownScores(choice, prompt)
  if ('problem' in scores) return scores
  const scoredTokens = scores.scored.tokens.filter(({ logprob }) => logprob !== null)
  // Some servers send zeros for a prompt that they did not score.
  if (
    scoredTokens.length === 0 ||
    (scoredTokens.length > 2 && scoredTokens.slice(0, -1).every(({ logprob }) => logprob === 0))
  )
    return { problem: 'it gives no log-probabilities of the prompt' }
  return scores
}

function echoScores(choice: unknown, prompt: string): PromptScores {
  const text = field(choice, 'text')
  if (typeof text !== 'string' || !text.startsWith(prompt))
    return { problem: 'it ignores `echo`: its text does not begin with the prompt' }
  const read = echoed.safeParse(choice).data
  if (read === undefined) return { problem: 'it echoes the prompt, but without `logprobs` of its tokens' }
  const { tokens, token_logprobs: logprobs, top_logprobs: tops, text_offset: offsets } = read.logprobs
  if (logprobs.length !== tokens.length) return { problem: 'it gives fewer or more log-probabilities than tokens' }
  if (logprobs.some((logprob, index) => logprob !== null && Object.keys(tops[index] ?? {}).length === 0))
    return { problem: 'it gives no `top_logprobs`, which tell whether a token is the likeliest' }
  const scored = tokens.map((token, index): ScoredToken => {
    const logprob = logprobs[index] ?? null
    return { text: token, logprob, isTop: logprob !== null && isGreatest(logprob, tops[index] ?? {}) }
  })
  return { scored: { text, tokens: scored, mayGoOn: true, ...(offsets == null ? {} : { offsets }) } }
}

/** Equal values count, as in `parse_logprobs` of lm-evaluation-harness (lm_eval/models/openai_completions.py). */
const isGreatest = (logprob: number, top: Readonly<Record<string, number>>): boolean =>
  Object.values(top).every(other => logprob >= other)

function ownScores(choice: unknown, prompt: string): PromptScores {
  const positions = withPromptLogprobs.safeParse(choice).data?.prompt_logprobs
  if (positions === undefined) return { problem: 'it ignores `prompt_logprobs`' }
  const tokens = positions.map((position): ScoredToken => {
    // The server adds the likeliest token to the prompt's own token if they differ. The own token has the last rank.
    const own = Object.values(position ?? {}).reduce<Ranked | undefined>(lowerRanked, undefined)
    if (own === undefined) return { text: undefined, logprob: null, isTop: false }
    return { text: own.decoded_token ?? undefined, logprob: own.logprob, isTop: own.rank === 1 }
  })
  return { scored: { text: prompt, tokens, mayGoOn: false } }
}

interface Ranked {
  readonly logprob: number
  readonly rank?: number | null | undefined
  readonly decoded_token?: string | null | undefined
}

const lowerRanked = (token: Ranked | undefined, other: Ranked): Ranked =>
  token === undefined || (other.rank ?? Infinity) > (token.rank ?? Infinity) ? other : token

const withUsage = z.object({
  usage: z.object({
    prompt_tokens: tokenCount,
    completion_tokens: tokenCount,
    prompt_tokens_details: z.object({ cached_tokens: tokenCount }).nullish(),
  }),
})

export function completionUsage(body: unknown): Usage | undefined {
  const usage = withUsage.safeParse(body).data?.usage
  if (usage === undefined) return undefined
  const counts = {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens != null))
}
