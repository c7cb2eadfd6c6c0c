import { z } from 'zod'
import type { JsonObject, ModelIdentity } from '../../../../../cache/records.js'
import { affectsOutput, type BackendArgs, type Declared, outputArgs, transport } from '../../../backend-args.js'
import type { BackendContext, Modality } from '../../../define-backend.js'
import type { Model } from '../../../model.js'
import { frameFormat } from '../../frames/frame-arguments.js'
import type { Env } from '../wire/proxy.js'
import type { Sending } from './client.js'
import { type Endpoint, type EndpointArgs, resolveEndpoint, type EndpointRules, shownBaseUrl } from './endpoint.js'
import { openPresigning, type PresigningArgs } from './presigned-media.js'
import type { Protocol } from './protocol.js'

/**
 * Identifies the model behind an address. The address is left out if it is the provider's own, or if `model_version`
 * names the model there.
 *
 * @param apiBaseUrl the address of the API's own provider
 */
export function addressedIdentity(
  backend: string,
  modelArgs: Readonly<Record<string, unknown>> & { readonly model_version?: string | undefined },
  { args, baseUrl, apiBaseUrl }: { readonly args: BackendArgs; readonly baseUrl: string; readonly apiBaseUrl: string },
): ModelIdentity {
  const isNamed = modelArgs.model_version !== undefined || baseUrl === apiBaseUrl
  const keyArgs: JsonObject = outputArgs({ args }, { ...modelArgs, base_url: isNamed ? undefined : baseUrl })
  return { backend, args: keyArgs }
}

/** Identifies the model behind a provider's API. @throws PipelineError if the address is invalid, or a required key is missing */
export function apiIdentity(
  rules: EndpointRules,
  modelArgs: Readonly<Record<string, unknown>> & EndpointArgs & { readonly model_version?: string | undefined },
  { args, env }: { readonly args: BackendArgs; readonly env: Env },
): ModelIdentity {
  const baseUrl = shownBaseUrl(resolveEndpoint(rules, modelArgs, env))
  return addressedIdentity(rules.backend, modelArgs, { args, baseUrl, apiBaseUrl: rules.defaultBaseUrl ?? '' })
}

/**
 * Opens a client for the address in the arguments. The code that sends requests is loaded only here, because
 * identifying a model does not need it.
 */
export async function openApi(
  args: EndpointArgs & SendingArgs & PresigningArgs,
  context: BackendContext,
  { rules, protocol }: { readonly rules: EndpointRules; readonly protocol: (endpoint: Endpoint) => Protocol },
): Promise<Model> {
  const endpoint = resolveEndpoint(rules, args, context.env)
  const { openClient } = await import('./client.js')
  const sign = await openPresigning(args, context)
  return openClient({ endpoint, protocol: protocol(endpoint), sending: readSending(args), context, sign })
}

/** The names are those of lmms-eval. */
const adaptiveArgs = {
  adaptive_concurrency: transport(
    z.boolean().optional().describe('whether concurrency follows the server, from num_concurrent on'),
  ),
  adaptive_min_concurrency: transport(z.number().int().min(1).optional().describe('never fewer (default 1)')),
  adaptive_max_concurrency: transport(z.number().int().min(1).optional().describe('never more (default 256)')),
}

/** Arguments that control how requests are sent. They are in no key. */
export const sendingArgs = {
  timeout: transport(z.number().positive().max(86_400).default(600).describe('seconds for one attempt')),
  stall_timeout: transport(
    z
      .number()
      .positive()
      .max(86_400)
      .default(120)
      .describe('seconds without a byte after which an answer or a request in flight is cancelled'),
  ),
  proxy: transport(
    z
      .string()
      .min(1)
      .optional()
      .describe('address of a proxy, or none; else $HTTPS_PROXY, $HTTP_PROXY, $ALL_PROXY, $NO_PROXY'),
    { names: 'address' },
  ),
  stream: transport(
    z.boolean().default(false).describe('asks for answers piece by piece, so that the time to the first is seen'),
  ),
  num_concurrent: transport(
    z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('requests in flight at once; without it as many as the server can handle'),
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

/** Files of every remote backend that determine what is sent or how an answer is read. They are part of its declared code. */
export const apiCode = [
  'stages/model/backends/http/protocol/api-backend.ts',
  'stages/model/backends/http/protocol/client.ts',
  'stages/model/backends/http/protocol/presigned-media.ts',
  'stages/model/backends/http/protocol/request-parts.ts',
  'stages/model/backends/http/protocol/protocol.ts',
  'stages/model/backends/http/wire/event-stream.ts',
  'stages/model/backends/http/wire/request-body.ts',
] as const

/** The corresponding files of backends that send media. */
export const mediaCode = [
  'stages/model/backends/http/wire/media-body.ts',
  'base/media/iso-boxes.ts',
  'base/media/media-type.ts',
] as const

/** The values of {@link sendingArgs} that the client itself uses. */
export interface SendingArgs {
  readonly timeout: number
  readonly stall_timeout: number
  readonly stream: boolean
}

/** Reads the timeouts and the streaming mode from the arguments. */
export const readSending = ({ timeout, stall_timeout: stall, stream }: SendingArgs): Sending => ({
  timeoutMs: timeout * 1000,
  stallMs: stall * 1000,
  isStreamed: stream,
})

export const modelArg = affectsOutput(z.string().min(1).describe('the name that the server knows it by'))

export const modelVersionArg = affectsOutput(
  z.string().min(1).optional().describe('names what answers, so that answers hold whatever address it is reached by'),
)

/** @param else_ the default address, for the help text */
export const baseUrlArg = (else_: string): Declared<z.ZodOptional<z.ZodString>> =>
  affectsOutput(
    z.string().optional().describe(`where the API begins; ${else_}. Part of keys unless model_version is given`),
    { names: 'address' },
  )

export const apiKeyArg = (description: string): Declared<z.ZodOptional<z.ZodString>> =>
  transport(z.string().optional().describe(description))

export const omitArg = affectsOutput(
  z.array(z.string()).default([]).describe('fields never sent, such as temperature to a model that refuses it'),
)

/** Declares further fields of each request. Fields that the pipeline sets are rejected. */
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

const modality = z.enum(['text', 'image', 'audio', 'video', 'file'])
/** Declares the argument for models that accept other modalities than the backend's default. */
export const modalitiesArg = transport(
  z
    .preprocess(value => (typeof value === 'string' ? value.split(/[+|]/) : value), z.array(modality))
    .optional()
    .describe('what the model takes, if it differs from the default: text+image')
    .meta({ typeName: 'list' }),
)

interface StatedModalities {
  readonly modalities?: readonly Modality[] | undefined
}

/** Lists the modalities in the arguments, and text in any case. @param defaults the default */
export const statedModalities = (
  { modalities }: StatedModalities,
  defaults: readonly Modality[],
): readonly Modality[] => (modalities === undefined ? defaults : [...new Set<Modality>(['text', ...modalities])])

type ModalityArguments = Parameters<typeof frameFormat>[0] & StatedModalities

/**
 * Lists the modalities that a model accepts: text in any case, and videos if they are sent as frames. @param defaults the
 * default
 */
export function acceptedBy(args: ModalityArguments, defaults: readonly Modality[]): readonly Modality[] {
  const own = statedModalities(args, defaults)
  const framed = frameFormat(args) !== undefined && own.includes('image') ? (['video'] as const) : []
  return [...new Set<Modality>([...own, ...framed])]
}
