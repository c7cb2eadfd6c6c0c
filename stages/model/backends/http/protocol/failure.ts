import { maskOf, withoutSecrets } from '../../../../../base/text/secrets.js'
import type { FailureClass, Usage } from '../../../../../cache/records.js'
import { AttemptError, type AccessFailure } from '../../../model.js'
import { type Endpoint, secretsOf } from './endpoint.js'
import { exhaustedFor, type Headers, headerText, rateLimitsOf, retryAfterOf } from './rate-limits.js'

/** What came back whole, whatever it says. */
export interface ReceivedAnswer {
  readonly headers: Headers
  readonly text: string
}

/** An answer with an error status, or with an error in it that stands for one. */
export interface ErrorAnswer extends ReceivedAnswer {
  readonly status: number
}

/** What a provider's error says, read as that provider writes it. */
interface ErrorWords {
  readonly message: string
  /** A filter stopped the prompt or the answer. */
  readonly isFiltered?: boolean
  /** The account is used up: no wait mends that. */
  readonly isUsedUp?: boolean
  /** The key is wrong, whatever the status says. */
  readonly isKeyWrong?: boolean
  /** Milliseconds to wait, where the body says so. */
  readonly retryAfter?: number | undefined
  /** What may mend it. */
  readonly hint?: string | undefined
}

const longestMessage = 300

/** What may be said of an error that a server worded: short, on one line, without the key. */
export function shownText(text: string, endpoint: Endpoint): string {
  const line = withoutSecrets(text, secretsOf(endpoint)).replace(/\s+/g, ' ').trim()
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line
}

/** The same failure without the key, wherever it came from: a server may repeat it in any of its words. */
export function maskedFailure(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof AttemptError)) return error
  const message = withoutSecrets(error.message, secretsOf(endpoint))
  return message === error.message ? error : new AttemptError(error.class, message, error)
}

/** What local servers are given for a key may be a word of an answer. */
const shortestRealKey = 16

/** An answer without the key: whoever repeats it there is no model. */
export function answerMask({ apiKey }: Endpoint): (received: ReceivedAnswer) => ReceivedAnswer {
  if (apiKey === undefined || apiKey.length < shortestRealKey) return received => received
  const mask = maskOf([apiKey])
  return received => ({ ...received, text: mask(received.text) })
}

/** The failure that an answer with an error status, or with an error in it, stands for. */
export function statusFailure(answer: ErrorAnswer, words: ErrorWords, endpoint: Endpoint): AttemptError {
  const isUsedUp = words.isUsedUp === true
  const failureClass = words.isFiltered === true ? 'refused' : isUsedUp ? 'rate_limited' : classOf(answer.status)
  // Some providers say of a refusal whether another try can help.
  const isFinal = headerText(answer.headers['x-should-retry']).trim() === 'false'
  const isRetryable = !isUsedUp && !isFinal && ['rate_limited', 'timeout', 'server'].includes(failureClass)
  const said = `${answer.status} ${shownText(words.message, endpoint)}`.trim()
  const isOfKey = failureClass !== 'refused' && !isUsedUp
  const text = said + (words.hint ?? (isOfKey ? hint(answer, endpoint, words.isKeyWrong) : ''))
  const retryAfter = words.retryAfter ?? retryAfterOf(answer.headers) ?? exhaustedOf(answer)
  return new AttemptError(failureClass, text, {
    isRetryable,
    ...(failureClass === 'refused' ? {} : { access: accessFailure(answer.status, words, { said, text, endpoint }) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
}

/** The reason if every other request would fail, too; undefined if another one may succeed. */
function accessFailure(
  status: number,
  { isUsedUp, isKeyWrong }: ErrorWords,
  { said, text, endpoint }: { readonly said: string; readonly text: string; readonly endpoint: Endpoint },
): AccessFailure | undefined {
  if (isUsedUp === true) return { about: 'account', said }
  if (isKeyWrong === true || status === 401 || status === 403)
    return { about: 'key', said, keyVariable: endpoint.keyVariable, hasKey: endpoint.apiKey !== undefined }
  return status === 404 || (status >= 300 && status < 400) ? { about: 'target', said: text } : undefined
}

/** Most limits are by the minute, and what fills up bit by bit says when it will be full. */
const longestGuess = 60_000

/** A refusal that does not say how long to wait may say which limit is used up, and until when. */
function exhaustedOf({ status, headers }: ErrorAnswer): number | undefined {
  const limits = status === 429 ? rateLimitsOf(headers) : undefined
  const wait = limits === undefined ? undefined : exhaustedFor(limits)
  return wait === undefined ? undefined : Math.min(wait, longestGuess)
}

/** Groq answers 498 when it has no capacity left, Google 499 when the call was broken off. */
const passingStatuses: ReadonlySet<number> = new Set([409, 425, 498, 499])

function classOf(status: number): FailureClass {
  if (status === 429) return 'rate_limited'
  if (status === 408 || status === 504) return 'timeout'
  if (status >= 500 || passingStatuses.has(status)) return 'server'
  return 'invalid_request'
}

const keyHint = ({ apiKey, keyVariable }: Endpoint): string =>
  apiKey === undefined ? ` (no API key: set ${keyVariable})` : ` (check ${keyVariable} or api_key)`

function hint({ status, headers }: ErrorAnswer, endpoint: Endpoint, isKeyWrong = false): string {
  if (isKeyWrong || status === 401 || status === 403) return keyHint(endpoint)
  if (status === 407) return ' (a proxy wants a login: give user and password in its address)'
  if (status === 413) return ' (the request is larger than the server takes: send smaller or fewer media)'
  if (status >= 300 && status < 400) {
    const target = shownText(headerText(headers['location']), endpoint)
    return target === ''
      ? ' (a redirect that leads nowhere: check base_url)'
      : ` (a redirect to ${target}: give the address that it leads to as base_url)`
  }
  return ''
}

/** The JSON of an answer. @throws AttemptError where it is none. */
export function parseJson({ headers, text }: ReceivedAnswer, endpoint: Endpoint): unknown {
  const value = jsonOf(text)
  if (value !== undefined) return value
  if (text.trim() === '') throw malformed('answered without content')
  const type = shownText(headerText(headers['content-type']), endpoint) || 'no content type'
  const shown = shownText(text, endpoint)
  if (type.includes('html'))
    throw malformed(`answered with a web page (${type}): does base_url lead to an API, without a login? ${shown}`)
  if (type.includes('event-stream')) throw malformed(`answered with a stream, which nobody asked for: ${shown}`)
  if (type.includes('json')) throw malformed(`answered with broken JSON: ${shown}`)
  throw malformed(`answered with something else than JSON (${type}): ${shown}`)
}

/** What a text says as JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field of a value from outside, if it is an object and has it. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** An answer that is none: another try may bring one. */
export const malformed = (message: string): AttemptError => new AttemptError('server', message, { isRetryable: true })

/** The provider or the model declined. */
export const refused = (message: string): AttemptError => new AttemptError('refused', message, { isRetryable: false })

/** A request that this provider cannot be asked. */
export const impossible = (message: string): AttemptError =>
  new AttemptError('invalid_request', message, { isRetryable: false })

/** Objects in which providers count tokens, and names there: OpenAI's chat and Responses, Anthropic, Gemini, Ollama. */
const places: readonly (string | undefined)[] = ['usage', 'usageMetadata', undefined]
const inputs = ['prompt_tokens', 'input_tokens', 'promptTokenCount', 'prompt_eval_count']
const outputs = [
  ['completion_tokens'],
  ['output_tokens'],
  ['candidatesTokenCount', 'thoughtsTokenCount'],
  ['eval_count'],
]

/** The failure with the tokens that the reply counts: what a filter stopped, or what came without an answer, is billed like one. */
export function withBilledUsage(error: unknown, text: string): unknown {
  if (!(error instanceof AttemptError) || error.usage !== undefined) return error
  const usage = usageIn(jsonOf(text))
  return usage === undefined ? error : new AttemptError(error.class, error.message, { ...optionsOf(error), usage })
}

function usageIn(reply: unknown): Usage | undefined {
  for (const place of places) {
    const counts = place === undefined ? reply : field(reply, place)
    const inputTokens = sumOf(counts, inputs)
    const [outputTokens] = outputs.flatMap(names => sumOf(counts, names) ?? [])
    if (inputTokens !== undefined) return { inputTokens, outputTokens: outputTokens ?? 0 }
  }
  return undefined
}

/** The sum of the fields that are there; undefined if none is. */
function sumOf(counts: unknown, names: readonly string[]): number | undefined {
  const found = names.map(name => field(counts, name)).filter(count => typeof count === 'number' && count >= 0)
  return found.length === 0 ? undefined : found.reduce<number>((sum, count) => sum + Number(count), 0)
}

const optionsOf = ({ isRetryable, retryAfter, hasProgressed, access, cause }: AttemptError) => ({
  isRetryable,
  retryAfter,
  hasProgressed,
  access,
  cause,
})
