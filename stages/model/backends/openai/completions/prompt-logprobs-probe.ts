import { z } from 'zod'
import { PipelineError } from '../../../../../base/errors/errors.js'
import { option } from '../../../../../base/errors/option-words.js'
import { AttemptError } from '../../../model.js'
import { shownBaseUrl, type Endpoint } from '../../http/protocol/endpoint.js'
import { field } from '../../http/protocol/failure.js'
import { promptScores, type PromptScores, type ScoredText, type ScoredToken } from './completion-answer.js'
import type { PromptLogprobs } from './completion-request.js'
import { tokenStarts } from './token-starts.js'

/** A text of several tokens in any tokenizer. */
const probePrompt = 'The sky is blue, and the grass is'

const ways: readonly PromptLogprobs[] = ['echo', 'prompt_logprobs']

/** The way in which a server scores prompts. */
export interface PromptScoring {
  readonly way: PromptLogprobs
  /** True if the first token of a text can be scored, because the server or `prefix_text` puts a token before it. */
  readonly scoresFirst: boolean
}

type AskPrompt = (prompt: string, way: PromptLogprobs) => Promise<unknown>

interface Probed {
  readonly endpoint: Endpoint
  /** A text put before a context that is empty. */
  readonly prefixText: string
}

/**
 * Finds out how a server returns the log-probabilities of a prompt, with a short request. It tries `echo` with
 * `logprobs`, which llama.cpp's server silently ignores, then `prompt_logprobs`.
 *
 * @throws PipelineError with the responses if the server returns none
 * @throws AttemptError if it cannot be reached now
 */
export async function probePromptLogprobs(ask: AskPrompt, { endpoint, prefixText }: Probed): Promise<PromptScoring> {
  const problems: string[] = []
  for (const way of ways) {
    const scores = await scoresBy(way, ask, prefixText + probePrompt)
    if ('scored' in scores) {
      const first = firstToken(prefixText, scores.scored)
      // Another text may begin with another token, so a prefix is checked again with each text.
      return { way, scoresFirst: first === undefined ? prefixText !== '' : first.logprob !== null }
    }
    problems.push(`  asked with ${way}: ${scores.problem}`)
  }
  throw new PipelineError(
    'config',
    [
      `${endpoint.backend}: ${shownBaseUrl(endpoint)}/completions gives no log-probabilities of prompts, which loglikelihood and multiple_choice tasks need`,
      ...problems,
      `  ${cureFor(endpoint)}`,
    ],
    { reason: 'prompt-logprobs-missing', data: { backend: endpoint.backend, url: shownBaseUrl(endpoint) } },
  )
}

/** The error for a text without context, which this server cannot score. No such request needs to be sent. */
export function unscoredFirst({ endpoint, prefixText }: Probed): PipelineError {
  const address = `${endpoint.backend}: ${shownBaseUrl(endpoint)}/completions`
  return new PipelineError(
    'config',
    [
      `${address} can't score a text that nothing precedes, such as a choice after an empty question`,
      prefixText === ''
        ? `  This server puts no token before a text, so that its first token has no log-probability. Give prefix_text=…, the text of the token that this model’s texts begin with: ${option('modelArgs', "…,prefix_text='<|endoftext|>'")}`
        : `  The server gives no log-probability of the token after prefix_text=${JSON.stringify(prefixText)}, either. Give a text of more than one token.`,
    ],
    { reason: 'first-token-unscored', data: { backend: endpoint.backend, url: shownBaseUrl(endpoint) } },
  )
}

async function scoresBy(way: PromptLogprobs, ask: AskPrompt, prompt: string): Promise<PromptScores> {
  try {
    const body = await ask(prompt, way)
    return way === 'echo' && isShifted(body, prompt) ? { problem: shifted } : promptScores(body, prompt, way)
  } catch (error) {
    if (!(error instanceof AttemptError)) throw error
    // Some servers report with status 500 that they do not support echo.
    const isRefusal = !error.isRetryable || /\becho\b|logprobs/i.test(error.message)
    if (!isRefusal) throw error
    return { problem: error.message }
  }
}

/** Tells whether a token begins where the prefix ends. A token across the end would take part of the text with it. */
export const beginsAfter = (prefixText: string, scored: ScoredText): boolean =>
  firstToken(prefixText, scored) !== undefined

function firstToken(prefixText: string, { tokens, text, offsets, mayGoOn }: ScoredText): ScoredToken | undefined {
  const boundary = prefixText.length
  const texts = tokens.map(token => token.text)
  const starts = tokenStarts(texts, text, { offsets, boundary, mayGoOn })
  return tokens.find((_, index) => starts?.[index] === boundary)
}

const shifted =
  'it gives each token its probability one token late, where the next one stands, as llama-cpp-python does with a model whose texts begin with no beginning-of-text token'

const echoedTokens = z.object({
  text: z.string(),
  logprobs: z.object({
    tokens: z.array(z.string()).min(1),
    top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
  }),
})

/**
 * Tells whether the server returns the distribution of the next token beside each token. Beside the last prompt token,
 * the likeliest token is then the generated one (at temperature 0), which is itself not among the tokens.
 */
function isShifted(body: unknown, prompt: string): boolean {
  const choices = field(body, 'choices')
  const choice = echoedTokens.safeParse(Array.isArray(choices) ? choices[0] : undefined).data
  if (choice === undefined) return false
  const { tokens, top_logprobs: tops } = choice.logprobs
  const generated = choice.text.slice(prompt.length)
  const likeliest = tops.map(top => Object.entries(top ?? {}).sort(([, logprob], [, other]) => other - logprob)[0]?.[0])
  const hits = (expected: readonly (string | undefined)[]): number =>
    likeliest.filter((token, index) => token !== undefined && token === expected[index]).length
  const followed = [...tokens.slice(1), generated]
  return (
    generated !== '' &&
    tokens.at(-1)?.trim() !== generated.trim() &&
    likeliest.at(-1)?.trim() === generated.trim() &&
    hits(followed) >= hits(tokens)
  )
}

const withTokens = 'only for models whose texts begin with a beginning-of-text token, such as Llama, Gemma and Mistral'

// eslint-disable-next-line no-restricted-syntax -- flags of another program
const scoringServer = 'python3 -m llama_cpp.server --model FILE.gguf --logits_all true'

const cureFor = ({ backend }: Endpoint): string =>
  backend === 'llama_cpp'
    ? `llama.cpp's own server gives none. Serve the same file with llama-cpp-python (${scoringServer}) and ask it with ${option('model', 'openai_completions')} ${option('modelArgs', { model: 'NAME', base_url: 'http://127.0.0.1:8000/v1' })}: ${withTokens}.`
    : `Serve the model with an engine that gives them (vLLM, SGLang, or llama-cpp-python with logits_all: ${withTokens}), or evaluate tasks of generate_until.`
