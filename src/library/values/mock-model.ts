/** Makes a model for tests. Its answers come from a function or a list, and it records its requests. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { checkFields } from '../../../base/errors/check-fields.js'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { inputKey } from '../../../cache/keys.js'
import type { ResponseBody, Usage } from '../../../cache/records.js'
import { affectsOutput } from '../../../stages/model/backend-args.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../../stages/model/model.js'
import { defineBackend } from '../../../stages/model/define-backend.js'
import { fields } from '../options/check-options.js'
import { modelBrand, type ModelValue } from './values.js'

/** A request that a mock model receives. */
export interface MockRequest extends ModelRequest {
  /** The texts of the last message, joined by line breaks. */
  readonly text: string
  /** Number of the call, counted from 1. A retry has the same number. */
  readonly call: number
}

/** A text, the parts of an answer that matter to the test (`{ text, finishReason: 'length' }`), or a failure. */
export type MockReply = string | Error | (Partial<ResponseBody> & { readonly usage?: Usage })

/** Options of {@link mockModel}: a function that answers, or a list of answers. */
export type MockModelOptions = (
  | {
      /** Answers a request. An Error that it throws or returns fails the request. */
      readonly reply: (request: MockRequest) => MockReply | Promise<MockReply>
      readonly replies?: never
    }
  | {
      /**
       * One reply per request, in the order of tasks, docs and samples, because requests are sent one at a time. Docs with equal requests share a
       * reply. An Error fails its request. If the list is too short, the evaluation throws.
       */
      readonly replies: readonly MockReply[]
      readonly reply?: never
    }
) & {
  /** The name in reports and keys. @default 'mock' */
  readonly model?: string
  /** Stored answers are valid for every mock with this name and version. @default a unique version, so that no mock gets another one's answers */
  readonly version?: string
}

/** A model value that records its calls. */
export interface MockModel extends ModelValue {
  /** The requests received, in order. Stored answers cause no request. */
  readonly calls: readonly MockRequest[]
}

const mockFields = {
  reply: fields.callback,
  replies: z.array(z.custom()).describe('a list of replies').optional(),
  model: fields.text,
  version: fields.text,
} satisfies Record<keyof MockModelOptions, z.ZodType>

/** A model for tests. Failures are not retried, unless the Error is an `AttemptError` with `isRetryable`. */
export function mockModel(options: MockModelOptions): MockModel {
  checkFields(options, mockFields)
  const { model = 'mock', version = randomUUID() } = options
  const calls: MockRequest[] = []
  const byRequest = new Map<string, MockRequest>()
  const recordRequest = (request: ModelRequest): MockRequest => {
    const { input, generation, sample } = request
    const key = `${inputKey(input).key} ${JSON.stringify(generation)} ${sample}`
    const earlierCall = byRequest.get(key)
    if (earlierCall !== undefined) return earlierCall
    const call = { ...request, text: lastText(request), call: calls.length + 1 }
    byRequest.set(key, call)
    calls.push(call)
    return call
  }
  const definition = defineBackend({
    id: 'mock',
    summary: 'a model for tests',
    args: { model: affectsOutput(z.string()) },
    accepts: ['text', 'image', 'audio', 'video', 'file'],
    requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling'],
    concurrency: 16,
    ...(options.replies !== undefined && { isSequential: true }),
    open: () => ({ answer: (request, signal) => untilAborted(signal, answerTo(recordRequest(request), options)) }),
  })
  return {
    [modelBrand]: true,
    kind: 'model',
    backend: definition,
    args: { model },
    code: { version },
    calls,
  }
}

/** Ends a reply that never comes when the evaluation is aborted. */
async function untilAborted<Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> {
  const ended = new Promise<never>((_, reject) => {
    const end = (): void => reject(new DOMException('The evaluation was ended', 'AbortError'))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  return Promise.race([answer, ended])
}

async function answerTo(request: MockRequest, { reply, replies }: MockModelOptions): Promise<ModelAnswer> {
  if (replies === undefined) return convertReply(await attempt(() => reply(request)))
  const listed = replies[request.call - 1]
  if (listed !== undefined) return convertReply(listed)
  throw new PipelineError(
    'config',
    `mockModel: no reply for call ${request.call}: the list has ${replies.length}. Add one for each request, or give reply: request => …`,
  )
}

async function attempt(reply: () => MockReply | Promise<MockReply>): Promise<MockReply> {
  try {
    return await reply()
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error))
  }
}

function convertReply(reply: MockReply): ModelAnswer {
  if (reply instanceof AttemptError || reply instanceof PipelineError) throw reply
  if (reply instanceof Error) throw new AttemptError('server', reply.message, { isRetryable: false, cause: reply })
  const { usage, ...body } = typeof reply === 'string' ? { text: reply } : reply
  return { body: { text: '', finishReason: 'stop', ...body }, usage }
}

const lastText = ({ input }: ModelRequest): string =>
  (input.messages.at(-1)?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')
