import type { ModelIdentity, ResponseBody, Usage } from '../../cache/records.js'
import type { BatchClient } from './batch/batch-client.js'
import { settledEnding } from './finish-reasons.js'
import { AttemptError, type AttemptWatch, type Model, type ModelAnswer, type ModelRequest } from './model.js'

/** Counts above this are no tokens of one request. */
const mostTokens = 1e9

/** Prompts below this number of characters are not compared with the tokens that the server read. */
const longPrompt = 4_000

/** No tokenizer puts more characters of running text into a token, on average over a long prompt. */
const charactersAToken = 16

/** Characters of scripts whose letters are syllables or words, and how many of them a token has at most on average. */
const denseScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const denseCharactersAToken = 4

/**
 * Looks at what servers report beside an answer, and notes each kind of oddity once: impossible token counts, which are
 * dropped; another model than the one that was asked; and fewer tokens than the prompt must have, because the server
 * cut it.
 */
export class AnswerChecks {
  readonly #asked: string | undefined
  readonly #note: (text: string) => void
  readonly #noted = new Set<string>()

  constructor({ args }: Pick<ModelIdentity, 'args'>, note: (text: string) => void) {
    this.#asked = typeof args['model'] === 'string' ? args['model'] : undefined
    this.#note = note
  }

  /** @throws AttemptError if the answer is not complete; the tokens that the server counted are in it */
  check(request: ModelRequest, { served, usage: reported, ...answer }: ModelAnswer): ModelAnswer {
    const usage = reported && this.#countsOf(reported)
    const body = settleAnswer(answer.body, usage)
    this.#compareLength(request, usage)
    const isOther = served !== undefined && served !== '' && this.#asked !== undefined && served !== this.#asked
    if (isOther) this.#once('model', `The model ${this.#asked} was asked, and the server says that ${served} answered.`)
    return { ...answer, body, ...(usage && { usage }), ...(isOther && { served }) }
  }

  #countsOf(usage: Usage): Usage {
    const counts = Object.entries(usage).filter(([, count]) => count !== undefined)
    const sound = counts.filter(([, count]) => isCount(count))
    if (sound.length === counts.length) return usage
    const names = counts.filter(([, count]) => !isCount(count)).map(([name]) => name)
    this.#once(
      'usage',
      `The server reports token counts that cannot be (${names.join(', ')}); they are ignored, so sums of tokens and cost are too low.`,
    )
    return Object.fromEntries(sound)
  }

  #compareLength({ input: { messages } }: ModelRequest, usage: Usage | undefined): void {
    const read = usage?.inputTokens
    if (read === undefined || this.#noted.has('cut')) return
    const texts = messages.flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : [])))
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    if (characters < longPrompt || read * 2 > characters) return
    const least = texts.reduce((sum, text) => sum + leastTokens(text), 0)
    if (read >= least) return
    this.#once(
      'cut',
      `The server read ${read} tokens of a prompt of ${characters} characters, which has at least ${least}: it probably cut the prompt. Give the server a longer context (Ollama: num_ctx), or leave out docs whose prompts are too long. A server that does not count what it has in its cache reports few tokens, too.`,
    )
  }

  #once(about: string, text: string): void {
    if (this.#noted.has(about)) return
    this.#noted.add(about)
    this.#note(text)
  }
}

function settleAnswer(body: ResponseBody, usage: Usage | undefined): ResponseBody {
  try {
    return settledEnding(body)
  } catch (error) {
    if (!(error instanceof AttemptError)) throw error
    throw new AttemptError(error.class, error.message, { isRetryable: error.isRetryable, usage })
  }
}

const isCount = (count: unknown): boolean => typeof count === 'number' && count >= 0 && count <= mostTokens

/**
 * A number of tokens that a text has with every tokenizer in use: they split text at spaces, so each word of a script
 * with spaces has one. Runs of one character, such as rules of tables, are few tokens.
 */
function leastTokens(text: string): number {
  // Whole runs of letters, each looked at once: a lookahead for the blank would try every letter of a text without blanks.
  let words = 0
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}]+/gu))
    if (/\s/.test(text.charAt(index + word.length))) words++
  const varied = text.replace(/(.)\1{3,}/gsu, '$1').replace(/\s+/g, ' ')
  const dense = varied.match(denseScripts)?.length ?? 0
  return Math.max(words, Math.floor(varied.length / charactersAToken), Math.floor(dense / denseCharactersAToken))
}

/** Checks each answer of a model. */
export const checkedModel = (model: Model, checks: AnswerChecks): Model => ({
  async answer(request, signal, watch, further) {
    let served: string | undefined
    const watchServed: AttemptWatch = progress => {
      if (progress.type === 'served') served = progress.model
      else watch?.(progress)
    }
    const answer = await model.answer(request, signal, watchServed, further)
    return checks.check(request, { served, ...answer })
  },
  ...(model.close && { close: () => model.close?.() ?? Promise.resolve() }),
})

/** Checks each answer of a batch. */
export function checkedBatches(client: BatchClient, checks: AnswerChecks): BatchClient {
  const results = client.results.bind(client)
  return Object.assign(client, {
    async *results(id: string, signal: AbortSignal) {
      for await (const result of results(id, signal))
        yield { ...result, read: (request: ModelRequest) => checks.check(request, result.read(request)) }
    },
  })
}
