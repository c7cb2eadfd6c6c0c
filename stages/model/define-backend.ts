import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { valueKind } from '../../base/values/value-kind.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import type { FileDigest, MediaDigest } from '../../cache/digest.js'
import type { MediumFile, PresignOptions } from '../../cache/store.js'
import type {
  CodeRevision,
  Failure,
  JsonObject,
  ModelIdentity,
  RequestType,
  ResponseBody,
  Usage,
} from '../../cache/records.js'
import { type BackendArgs, outputArgs } from './backend-args.js'
import type { BatchClient } from './batch/batch-client.js'
import { AttemptError, type Model, type ModelRequest } from './model.js'

/** Media that were derived from another medium, with metadata. */
export interface DerivedMedia {
  readonly media: readonly MediaDigest[]
  readonly about: JsonObject
}

/** Makes media from another medium. */
export type MakeMedia = (
  folder: string,
  signal: AbortSignal,
) => Promise<{ readonly files: readonly string[]; readonly about: JsonObject }>

/** The services that a backend may use. */
export interface BackendContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads a medium and verifies it. */
  readMedia(digest: MediaDigest): Promise<Uint8Array>
  /** Opens a file of this machine with the medium's bytes, which are not checked. It stays until it is disposed of. */
  openMediaFile(digest: MediaDigest): Promise<MediumFile>
  /**
   * Writes a medium of this size in base64 into a buffer, verified. Without this function, media are always streamed.
   *
   * @returns the number of bytes written, or undefined if the medium is missing, damaged or of another size
   */
  readonly encodeMedium?: (digest: MediaDigest, bytes: number, into: Buffer) => Promise<number | undefined>
  /**
   * Returns an address from which a server can download a medium for some time. It must not be stored or shown. Without this function, no address leads
   * to the media.
   */
  readonly presignMedia?: (digest: MediaDigest, options: PresignOptions) => Promise<string>
  /**
   * Returns media derived from another one. They are made once for each `how` and kept in the store, so `how` must
   * contain everything that they depend on.
   *
   * @param make writes the files into a folder, which is deleted afterwards, and lists them in order. Its signal is aborted when nobody
   * waits for the result any more.
   * @param signal ends the caller's wait
   */
  deriveMedia?(source: MediaDigest, how: JsonObject, make: MakeMedia, signal: AbortSignal): Promise<DerivedMedia>
  /** The expected number of requests in flight, if it is known. */
  readonly concurrency?: number
  /** Returns the digest of a local file. It is remembered between runs. */
  fileDigest(path: string): Promise<FileDigest>
  /** Returns the path of a new log file in the store's folder, for a program of this name. */
  logFile?(name: string): string
  /** Reports to the user what takes long. */
  note?(text: string): void
  /** Reports a fact about the whole run. Repeated texts are dropped. */
  noteOnce?(text: string): void
  /** Aborted if nothing new must begin, so that opening a slow model ends early. */
  readonly interrupted?: AbortSignal
}

/** The kinds of content. `file` is a document with pages (PDF). */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file'

/** The code that can change an output. */
export interface BackendCode {
  /** Paths relative to the project. A path that ends in `/` stands for all files below that folder. */
  readonly files: readonly string[]
  /** Packages whose versions can change an output. */
  readonly packages?: readonly string[]
  /**
   * Replaces the files in keys. Only built-in backends have one. A plugin is identified by the digests of its files.
   * Raise the number in the commit that changes what is sent or how an answer is read (docs/decisions/code-in-keys.md).
   */
  readonly revision?: CodeRevision
}

/** Replaces a backend's `accepts` and `code` for request types that other code answers. */
export interface AnsweredApart {
  readonly accepts: readonly Modality[]
  readonly code: BackendCode
}

export interface BackendDefinition<Shape extends BackendArgs = BackendArgs> {
  readonly id: string
  readonly aliases?: readonly string[]
  /** A summary in one line for `models list`. */
  readonly summary: string
  readonly args: Shape
  /**
   * The form of prompts. `simple`: media, then one text, even if the task defines a conversation. `text`: one text that
   * the model continues. One id may have a backend of each form. `chat` is used unless the simple one is requested.
   * @default 'chat'
   */
  readonly form?: 'chat' | 'simple' | 'text'
  readonly accepts: readonly Modality[]
  /** Replaces `accepts` if it depends on the arguments. */
  acceptsWith?(args: z.output<z.ZodObject<Shape>>): readonly Modality[]
  readonly requests: readonly RequestType[]
  /** Replaces `requests` if it depends on the arguments. */
  requestsWith?(args: z.output<z.ZodObject<Shape>>): readonly RequestType[]
  /** True if tools may be declared and called. */
  readonly takesTools?: boolean
  readonly code: BackendCode
  /** Request types that are answered by other code. */
  readonly apart?: { readonly [type in RequestType]?: AnsweredApart }
  /** The default maximum number of requests in flight. `adaptive` adapts it to the server. */
  readonly concurrency: number | 'adaptive'
  /** Replaces `concurrency` and the argument `batch_size` if the number depends on the arguments. */
  concurrencyWith?(args: z.output<z.ZodObject<Shape>>): number
  /** The record argument that collects all undeclared arguments, for users' code. */
  readonly gathers?: string
  /** True if requests must be sent one at a time, in the order of tasks, docs and samples. */
  readonly isSequential?: boolean
  /** Tells whether the model samples even at a temperature of 0, because it does not accept a temperature. */
  samples?(args: z.output<z.ZodObject<Shape>>): boolean
  /** Returns whether requests must name the doc's target (`input.target`), because the model answers with it. */
  answersTargets?(args: z.output<z.ZodObject<Shape>>): boolean
  /**
   * Identifies the model. It is called before any work, and throws a PipelineError for visible mistakes, such as a
   * missing file or key. It must load nothing heavy, because a run without pending requests calls it and never opens
   * the model.
   */
  identify(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<ModelIdentity>
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<Model>
  /**
   * Checks that `open` has what it needs, such as a program to start, else throws a PipelineError. It is called before
   * docs are read, if requests will be sent. It must not load or start anything.
   */
  ready?(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<void>
  /** Returns whether a program is started on this machine for these arguments. Backends without this method start none. */
  startsProgram?(args: z.output<z.ZodObject<Shape>>, context: Pick<BackendContext, 'env'>): boolean
  /** The provider's batch API, if it has one. */
  readonly batch?: BatchClientDefinition<NoInfer<Shape>>
}

/** Declares a model backend: one file, one export. */
export const defineBackend = <const Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> =>
  fillDefaults(draft)

export type { Failure }

/** Declares the batch API of a backend. */
export interface BatchClientDefinition<Shape extends BackendArgs = BackendArgs> {
  /** The provider's maximum size of one batch. */
  readonly most: { readonly requests: number; readonly bytes: number }
  readonly requests: readonly RequestType[]
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<BatchClient>
}

/** A simple model that returns only text, which is enough for most plugins. */
export interface TextModel {
  /** Makes one attempt. An error other than {@link AttemptError} or PipelineError counts as `server`, and is retried. */
  generate(request: ModelRequest, signal: AbortSignal): Promise<TextAnswer>
  close?(): Promise<void>
}

export interface TextAnswer {
  readonly text: string
  /** @default 'stop' */
  readonly finishReason?: ResponseBody['finishReason']
  readonly usage?: Usage | undefined
}

type Part = 'args' | 'summary' | 'requests' | 'code' | 'concurrency' | 'identify' | 'open'

/** A backend as its author writes it. Fields with a default, which plugins rarely set, are optional. */
export interface BackendDraft<Shape extends BackendArgs> extends Omit<BackendDefinition<Shape>, Part> {
  /** The arguments by name, or all of them as `z.object(…)`. */
  readonly args: Shape | z.ZodObject<Shape>
  /** @default its id */
  readonly summary?: string
  /** @default texts: `generate_until` */
  readonly requests?: BackendDefinition['requests']
  /** @default a plugin's own files, which are always part of it */
  readonly code?: BackendDefinition['code']
  /** @default 'adaptive' */
  readonly concurrency?: BackendDefinition['concurrency']
  /** @default its id with the arguments that can change an output */
  readonly identify?: BackendDefinition<Shape>['identify']
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<Model | TextModel> | Model | TextModel
}

/** Fills in the defaults of a draft. */
function fillDefaults<Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> {
  const args = draft.args instanceof z.ZodObject ? draft.args.shape : draft.args
  return {
    ...draft,
    args,
    summary: draft.summary ?? draft.id,
    requests: draft.requests ?? ['generate_until'],
    code: draft.code ?? { files: [] },
    concurrency: draft.concurrency ?? 'adaptive',
    identify: (modelArgs, context) =>
      nameBackendInErrors(draft.id, 'identify', async () => {
        if (draft.identify === undefined) return { backend: draft.id, args: outputArgs({ args }, modelArgs) }
        const identity: unknown = await draft.identify(modelArgs, context)
        if (typeof identity === 'object' && identity !== null && 'backend' in identity) return identity as ModelIdentity
        throw new Error(`it must return { backend: '${draft.id}', args: {…} }, not ${valueKind(identity)}`)
      }),
    ...(draft.ready && {
      ready: (modelArgs, context) =>
        nameBackendInErrors(draft.id, 'ready', async () => draft.ready?.(modelArgs, context)),
    }),
    open: (modelArgs, context) =>
      nameBackendInErrors(draft.id, 'open', async () =>
        toAnsweringModel(await draft.open(modelArgs, context), draft.id),
      ),
  }
}

/** Adds the backend's name to errors of its functions, so that mistakes in plugins are recognisable. */
async function nameBackendInErrors<T>(id: string, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PipelineError || (error instanceof Error && error.name === 'AbortError')) throw error
    throw new PipelineError('config', `${name} of the model backend ${id} failed: ${describeThrown(error)}`, {
      cause: error,
    })
  }
}

/** Plugins in JavaScript are not type-checked. */
const hasFunction = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'

function toAnsweringModel(model: Model | TextModel, id: string): Model {
  if (hasFunction(model, 'answer') && 'answer' in model) return model
  if (!hasFunction(model, 'generate') || 'answer' in model)
    throw new Error(
      `it must return an object with the function generate or answer, not ${valueKind(model)} (docs/extending.md)`,
    )
  return {
    async answer(request, signal) {
      if (request.input.type !== 'generate_until')
        throw new AttemptError('invalid_request', `${id} gives texts, and no ${request.input.type}`, {
          isRetryable: false,
        })
      const answer: unknown = await model.generate(request, signal)
      if (typeof answer !== 'object' || answer === null || !('text' in answer) || typeof answer.text !== 'string')
        throw new AttemptError(
          'invalid_request',
          `the model backend ${id}: generate must return { text: '…' }, not ${valueKind(answer)}`,
          { isRetryable: false },
        )
      const { text, finishReason = 'stop', usage } = answer as TextAnswer
      return { body: { text, finishReason }, usage }
    },
    ...(model.close && { close: () => nameBackendInErrors(id, 'close', async () => model.close?.()) }),
  }
}

/** A backend with unknown argument types, as the registry holds it. */
export type AnyBackend = BackendDefinition
