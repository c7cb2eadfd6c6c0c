/** Arguments that all backends of remote APIs have. */
import { z } from 'zod'
import { affectsOutput, transport, type Declared } from '../../../define-backend.js'
import type { Sending } from './client.js'

/** By the names that lmms-eval has for them. */
const adaptiveArgs = {
  adaptive_concurrency: transport(
    z.boolean().optional().describe('whether concurrency follows the server, from num_concurrent on'),
  ),
  adaptive_min_concurrency: transport(z.number().int().min(1).optional().describe('never fewer (default 1)')),
  adaptive_max_concurrency: transport(z.number().int().min(1).optional().describe('never more (default 256)')),
}

/** How requests are sent: in no key. */
export const sendingArgs = {
  timeout: transport(z.number().positive().max(86_400).default(600).describe('seconds for one attempt')),
  stall_timeout: transport(
    z
      .number()
      .positive()
      .max(86_400)
      .default(120)
      .describe('seconds without a byte after which an answer or a request under way is broken off'),
  ),
  proxy: transport(
    z
      .string()
      .min(1)
      .optional()
      .describe('address of a proxy, or none; else $HTTPS_PROXY, $HTTP_PROXY, $ALL_PROXY, $NO_PROXY'),
  ),
  stream: transport(
    z.boolean().default(false).describe('asks for answers piece by piece, so that the time to the first is seen'),
  ),
  num_concurrent: transport(
    z.number().int().min(1).optional().describe('requests under way at once; without it as many as the server bears'),
  ),
  concurrency: transport(z.number().int().min(1).optional().describe('the same')),
  ...adaptiveArgs,
  max_retries: transport(
    z.number().int().min(0).optional().describe('further attempts after a failed one (default 5)'),
  ),
  retry_backoff_s: transport(
    z
      .number()
      .min(0)
      .max(3_600)
      .optional()
      .describe(
        'seconds, at most, before the second attempt; twice as many before each further one (default 0.5, after a 429 2)',
      ),
  ),
}

/** Files of every remote backend that decide what is sent or how an answer is read: part of its declared code. */
export const apiCode = [
  'stages/model/backends/http/protocol/api-arguments.ts',
  'stages/model/backends/http/protocol/client.ts',
  'stages/model/backends/http/protocol/generation.ts',
  'stages/model/backends/http/protocol/stop-sequences.ts',
  'stages/model/backends/http/protocol/streaming.ts',
  'stages/model/backends/http/wire/event-stream.ts',
  'stages/model/backends/http/wire/line-stream.ts',
  'stages/model/backends/http/wire/request-body.ts',
] as const

/** The same for backends that show media. */
export const mediaCode = [
  'stages/model/backends/http/protocol/media-address.ts',
  'stages/model/backends/http/protocol/modalities.ts',
  'stages/model/backends/http/wire/media-body.ts',
  'base/media-type.ts',
] as const

/** The values of {@link sendingArgs} that the client itself looks at. */
export interface SendingArgs {
  readonly timeout: number
  readonly stall_timeout: number
  readonly stream: boolean
}

/** How requests are sent, by the arguments. */
export const sendingOf = ({ timeout, stall_timeout: stall, stream }: SendingArgs): Sending => ({
  timeoutMs: timeout * 1000,
  stallMs: stall * 1000,
  isStreamed: stream,
})

export const modelArg = affectsOutput(z.string().min(1).describe('the name that the server knows it by'))

export const modelVersionArg = affectsOutput(
  z.string().min(1).optional().describe('names what answers, so that answers hold whatever address it is reached by'),
)

/** @param else_ what is taken where no address is given. */
export const baseUrlArg = (else_: string): Declared<z.ZodOptional<z.ZodString>> =>
  affectsOutput(
    z.string().optional().describe(`where the API begins; ${else_}. Part of keys unless model_version is given`),
  )

export const apiKeyArg = (description: string): Declared<z.ZodOptional<z.ZodString>> =>
  transport(z.string().optional().describe(description))

export const omitArg = affectsOutput(
  z.array(z.string()).default([]).describe('fields never sent, such as temperature to a model that refuses it'),
)

/** Further fields of each request, but none of those that are the pipeline's own. */
export const extraBodyArg = (ownFields: readonly string[]) =>
  affectsOutput(
    z
      .record(
        z.string().refine(name => !ownFields.includes(name), { error: `must not set ${ownFields.join(', ')}` }),
        z.json(),
      )
      .default({})
      .describe('further fields of each request, as JSON'),
  )
