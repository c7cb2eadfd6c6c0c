import { z } from 'zod'
import type { ResponseBody, Usage } from '../../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../../model.js'
import { decodeMedium } from '../http/protocol/answer-media.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  makeMalformedError,
  parseJson,
  type ReceivedAnswer,
  makeRefusalError,
  shownText,
} from '../http/protocol/failure.js'
import { cutAtStop, tokenCount } from '../http/protocol/request-parts.js'
import { readToolCalls } from './content-request.js'
import { contentFailure, errorIn, errorStatus } from './failure.js'

/** The fields of an answer that are read. The API leaves out fields at their default. */
const answer = z.object({
  candidates: z
    .array(
      z.object({
        content: z
          .object({
            parts: z
              .array(
                z.looseObject({
                  text: z.string().nullish(),
                  thought: z.boolean().nullish(),
                  inlineData: z.object({ mimeType: z.string().nullish(), data: z.string() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finishReason: z.string().nullish(),
        finishMessage: z.string().nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: tokenCount,
      candidatesTokenCount: tokenCount,
      thoughtsTokenCount: tokenCount,
      cachedContentTokenCount: tokenCount,
      promptTokensDetails: z.array(z.object({ modality: z.string().nullish(), tokenCount })).nullish(),
    })
    .nullish(),
})

type Answer = z.output<typeof answer>
type Candidate = NonNullable<Answer['candidates']>[number]

/** @throws AttemptError if the response is an error, blocked, or no answer */
export function parseContent(received: ReceivedAnswer, request: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  const error = errorIn(body)
  if (error !== undefined) throw contentFailure({ ...received, status: errorStatus(error) }, endpoint)
  const { data } = answer.safeParse(body)
  if (data === undefined)
    throw makeMalformedError(`answered with something else than content: ${shownText(received.text, endpoint)}`)
  const blocked = data.promptFeedback?.blockReason
  if (blocked != null) throw makeRefusalError(`the prompt was blocked (${blocked})`)
  const candidate = data.candidates?.[0]
  if (candidate === undefined) throw makeMalformedError('answered without a candidate')
  const { finishReason: reason, finishMessage: message } = candidate
  const words = message == null ? '' : `: ${shownText(message, endpoint)}`
  if (blockReasons.has(reason ?? '')) throw makeRefusalError(`the answer was blocked (${reason})${words}`)
  if (listParts(candidate).length === 0 && !emptyReasons.has(reason ?? ''))
    throw makeMalformedError(`answered without content (${reason ?? 'no reason to finish'})${words}`)
  // Pictures of thoughts are drafts.
  const media = listParts(candidate).flatMap(({ thought, inlineData }) =>
    thought === true || inlineData == null ? [] : [decodeMedium(inlineData.data)],
  )
  return { body: makeResponseBody(candidate, request), ...readUsage(data), ...(media.length > 0 && { media }) }
}

/** Finish reasons of a content filter. A partial answer then does not count. */
const blockReasons: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'MODEL_ARMOR',
])

/** Finish reasons with which an answer may be empty: the model said nothing, or thought until its limit. */
const emptyReasons: ReadonlySet<string> = new Set(['STOP', 'MAX_TOKENS'])

const listParts = ({ content }: Candidate) => content?.parts ?? []

function makeResponseBody(candidate: Candidate, { input, generation }: ModelRequest): ResponseBody {
  const calls = input.tools === undefined ? {} : readToolCalls(listParts(candidate))
  const texts = (isThought: boolean) =>
    listParts(candidate)
      .filter(({ thought }) => (thought === true) === isThought)
      .map(({ text }) => text ?? '')
      .join('')
  const whole = texts(false)
  const text = cutAtStop(whole, generation)
  const reasoning = texts(true)
  const raw = candidate.finishReason ?? ''
  const finishReason = finishReasons[raw]
  return {
    text,
    finishReason: calls.toolCalls ? 'tool_calls' : text.length < whole.length ? 'stop' : (finishReason ?? 'unknown'),
    ...(finishReason !== undefined || raw === '' ? {} : { rawFinishReason: raw }),
    ...(reasoning === '' ? {} : { reasoning }),
    ...calls,
  }
}

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = { STOP: 'stop', MAX_TOKENS: 'length' }

/** Adds thinking tokens to the output. The API counts them separately. */
function readUsage({ usageMetadata: usage }: Answer): { readonly usage?: Usage } {
  if (usage == null) return {}
  const { promptTokenCount: input, candidatesTokenCount: said, thoughtsTokenCount: thought } = usage
  const output = said == null && thought == null ? undefined : (said ?? 0) + (thought ?? 0)
  const sound = (usage.promptTokensDetails ?? []).filter(({ modality }) => modality === 'AUDIO')
  const audioTokens = sound.reduce((sum, { tokenCount }) => sum + (tokenCount ?? 0), 0)
  return {
    usage: {
      ...(input == null ? {} : { inputTokens: input }),
      ...(output === undefined ? {} : { outputTokens: output }),
      ...(thought == null ? {} : { reasoningTokens: thought }),
      ...(usage.cachedContentTokenCount == null ? {} : { cachedTokens: usage.cachedContentTokenCount }),
      ...(audioTokens === 0 ? {} : { audioTokens }),
    },
  }
}
