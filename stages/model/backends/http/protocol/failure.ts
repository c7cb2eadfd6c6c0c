import { makeMask, withoutSecrets, withoutSignatures } from '../../../../../base/text/secrets.js'
import type { FailureClass, Usage } from '../../../../../cache/records.js'
import { AttemptError, type AccessFailure } from '../../../model.js'
import { type Endpoint, listSecrets } from './endpoint.js'
import { exhaustedFor, type Headers, headerText, readRateLimits, readRetryAfter } from './rate-limits.js'

/** A complete response with any status. */
export interface ReceivedAnswer {
  readonly headers: Headers
  readonly text: string
}

/** A response with an error status, or with an error inside that has one. */
export interface ErrorAnswer extends ReceivedAnswer {
  readonly status: number
}

/** The provider's error in common terms. */
interface ErrorWords {
  readonly message: string
  /** True if a content filter stopped the prompt or the answer. */
  readonly isFiltered?: boolean
  /** True if the account has no credit left, which no retry changes. */
  readonly isUsedUp?: boolean
  /** True if the key is wrong, whatever the status. */
  readonly isKeyWrong?: boolean
  /** The milliseconds to wait, if the response body states them. */
  readonly retryAfter?: number | undefined
  /** Advice for the user. */
  readonly hint?: string | undefined
}

const longestMessage = 300

/** Prepares a server's error text for messages: short, on one line, without the key. */
export function shownText(text: string, endpoint: Endpoint): string {
  const line = withoutSignatures(withoutSecrets(text, listSecrets(endpoint)))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line
}

/** Removes the key from a failure, since a server may repeat it in any text. */
export function maskedFailure(error: unknown, endpoint: Endpoint): unknown {
  if (!(error instanceof AttemptError)) return error
  const message = withoutSignatures(withoutSecrets(error.message, listSecrets(endpoint)))
  return message === error.message ? error : new AttemptError(error.class, message, error)
}

/** Shorter keys are not masked in answers: a placeholder key of a local server may be an ordinary word. */
const shortestRealKey = 16

/** Returns a function that removes the key, and signatures of addresses, from an answer. A server that repeats them is faulty. */
export function answerMask({ apiKey }: Endpoint): (received: ReceivedAnswer) => ReceivedAnswer {
  const mask = makeMask(apiKey === undefined || apiKey.length < shortestRealKey ? [] : [apiKey])
  return received => ({ ...received, text: withoutSignatures(mask(received.text)) })
}

/** Makes the failure for a response with an error. */
export function statusFailure(answer: ErrorAnswer, words: ErrorWords, endpoint: Endpoint): AttemptError {
  const isUsedUp = words.isUsedUp === true
  const failureClass = words.isFiltered === true ? 'refused' : isUsedUp ? 'rate_limited' : classifyStatus(answer.status)
  // Some providers state in a header whether a retry can help.
  const isFinal = headerText(answer.headers['x-should-retry']).trim() === 'false'
  const isRetryable = !isUsedUp && !isFinal && ['rate_limited', 'timeout', 'server'].includes(failureClass)
  const said = `${answer.status} ${shownText(words.message, endpoint)}`.trim()
  const isOfKey = failureClass !== 'refused' && !isUsedUp
  const text = said + (words.hint ?? (isOfKey ? hint(answer, endpoint, words.isKeyWrong) : ''))
  const retryAfter = words.retryAfter ?? readRetryAfter(answer.headers) ?? readExhaustedWait(answer)
  return new AttemptError(failureClass, text, {
    isRetryable,
    ...(failureClass === 'refused' ? {} : { access: accessFailure(answer.status, words, { said, text, endpoint }) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })
}

/** Finds the reason if all other requests would fail, too. @returns undefined if another request may succeed */
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

/** The maximum wait for a limit without a stated wait. Most limits are per minute. */
const longestGuess = 60_000

/** Reads from the headers of a 429 response until when a limit is used up, if it states no wait. */
function readExhaustedWait({ status, headers }: ErrorAnswer): number | undefined {
  const limits = status === 429 ? readRateLimits(headers) : undefined
  const wait = limits === undefined ? undefined : exhaustedFor(limits)
  return wait === undefined ? undefined : Math.min(wait, longestGuess)
}

/** Statuses that pass. Groq answers 498 without free capacity, Google 499 after a cancelled call. */
const passingStatuses: ReadonlySet<number> = new Set([409, 425, 498, 499])

function classifyStatus(status: number): FailureClass {
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

/** Parses the JSON of a response. @throws AttemptError if it is invalid */
export function parseJson({ headers, text }: ReceivedAnswer, endpoint: Endpoint): unknown {
  const value = tryParseJson(text)
  if (value !== undefined) return value
  if (text.trim() === '') throw makeMalformedError('answered without content')
  const type = shownText(headerText(headers['content-type']), endpoint) || 'no content type'
  const excerpt = shownText(text, endpoint)
  if (type.includes('html'))
    throw makeMalformedError(
      `answered with a web page (${type}): does base_url lead to an API, without a login? ${excerpt}`,
    )
  if (type.includes('event-stream'))
    throw makeMalformedError(`answered with a stream, which nobody asked for: ${excerpt}`)
  if (type.includes('json')) throw makeMalformedError(`answered with broken JSON: ${excerpt}`)
  throw makeMalformedError(`answered with something else than JSON (${type}): ${excerpt}`)
}

/** Parses JSON. @returns undefined if it is invalid */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a field of an unknown value. @returns undefined if it is not an object with this field */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** The failure for an invalid response. A retry may succeed. */
export const makeMalformedError = (message: string): AttemptError =>
  new AttemptError('server', message, { isRetryable: true })

/** The failure if the provider or the model refused to answer. */
export const makeRefusalError = (message: string): AttemptError =>
  new AttemptError('refused', message, { isRetryable: false })

/** The failure for a request that this provider does not support. */
export const impossible = (message: string): AttemptError =>
  new AttemptError('invalid_request', message, { isRetryable: false })

/** The objects and fields that hold token counts in OpenAI's chat and Responses, Anthropic, Gemini and Ollama. */
const usageKeys: readonly (string | undefined)[] = ['usage', 'usageMetadata', undefined]
const inputs = ['prompt_tokens', 'input_tokens', 'promptTokenCount', 'prompt_eval_count']
const outputs = [
  ['completion_tokens'],
  ['output_tokens'],
  ['candidatesTokenCount', 'thoughtsTokenCount'],
  ['eval_count'],
]

/** Adds the token counts of a response to a failure: filtered or broken answers are billed, too. */
export function withBilledUsage(error: unknown, text: string): unknown {
  if (!(error instanceof AttemptError) || error.usage !== undefined) return error
  const usage = usageIn(tryParseJson(text))
  return usage === undefined
    ? error
    : new AttemptError(error.class, error.message, { ...readErrorOptions(error), usage })
}

function usageIn(reply: unknown): Usage | undefined {
  for (const key of usageKeys) {
    const counts = key === undefined ? reply : field(reply, key)
    const inputTokens = sumFields(counts, inputs)
    const [outputTokens] = outputs.flatMap(names => sumFields(counts, names) ?? [])
    if (inputTokens !== undefined) return { inputTokens, outputTokens: outputTokens ?? 0 }
  }
  return undefined
}

/** Adds the fields that exist. @returns undefined if there is none */
function sumFields(counts: unknown, names: readonly string[]): number | undefined {
  const numbers = names.map(name => field(counts, name)).filter(count => typeof count === 'number' && count >= 0)
  return numbers.length === 0 ? undefined : numbers.reduce<number>((sum, count) => sum + Number(count), 0)
}

const readErrorOptions = ({ isRetryable, retryAfter, hasProgressed, access, cause }: AttemptError) => ({
  isRetryable,
  retryAfter,
  hasProgressed,
  access,
  cause,
})
