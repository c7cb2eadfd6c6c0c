import { z } from 'zod'
import type { FileDigest, MediaDigest } from '../../cache/digest.js'
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

/** Media that were made out of another, and what is to be known of them. */
export interface DerivedMedia {
  readonly media: readonly MediaDigest[]
  readonly about: JsonObject
}

/** What a backend may use of the world. */
export interface BackendContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The bytes of a medium, checked. */
  readMedia(digest: MediaDigest): Promise<Uint8Array>
  /** The path of the medium's file, for streaming. */
  mediaPath(digest: MediaDigest): string
  /**
   * Writes the medium of so many bytes in base64 into a buffer, checked. Without it, media are only streamed.
   *
   * @returns how many bytes were written; nothing where it is missing, damaged or of another size.
   */
  readonly encodeMedium?: (digest: MediaDigest, bytes: number, into: Buffer) => Promise<number | undefined>
  /**
   * Media made out of another, kept in the store beside it: made once for each `how`, which says all that they depend on.
   *
   * @param make writes them into the folder, which is gone afterwards, and names them in order.
   */
  deriveMedia?(
    source: MediaDigest,
    how: JsonObject,
    make: (folder: string) => Promise<{ readonly files: readonly string[]; readonly about: JsonObject }>,
  ): Promise<DerivedMedia>
  /** How many requests will be under way at once, where that is known. */
  readonly concurrency?: number
  /** The digest of a local file, remembered between runs. */
  fileDigest(path: string): Promise<FileDigest>
  /** The path of a new log file in the store's folder, for a program of this name. */
  logFile?(name: string): string
  /** Tells the user what goes on, where that takes long. */
  note?(text: string): void
  /** Aborted where nothing new is to be begun: opening a model that takes minutes ends early. */
  readonly interrupted?: AbortSignal
}

/** `file`: documents with pages, PDFs. */
export type Modality = 'text' | 'image' | 'audio' | 'video' | 'file'

/** What can change an output beside the arguments. */
export interface BackendCode {
  /** Paths relative to the project. A folder ends in `/` and stands for all files below it. */
  readonly files: readonly string[]
  /** Names of packages whose versions can change an output. */
  readonly packages?: readonly string[]
  /**
   * Stands for the files in keys. Only built-in backends have one; a plugin is identified by the digests of its files.
   * Raise the number in the commit that changes what is sent or how an answer is read (docs/decisions/code-in-keys.md).
   */
  readonly revision?: CodeRevision
}

/** What stands for a backend's `accepts` and `code` where requests of a type are answered in another way than the rest. */
export interface AnsweredApart {
  readonly accepts: readonly Modality[]
  readonly code: BackendCode
}

export interface BackendDefinition<Shape extends BackendArgs = BackendArgs> {
  readonly id: string
  readonly aliases?: readonly string[]
  /** One line for `models list`. */
  readonly summary: string
  readonly args: Shape
  /**
   * How prompts come to it. `simple`: media, then one text, whatever conversation a task has of its own. `text`: one text that the
   * model goes on with. One id may have a backend of each form: `chat` is taken, unless the simple one is asked for. @default 'chat'
   */
  readonly form?: 'chat' | 'simple' | 'text'
  readonly accepts: readonly Modality[]
  /** What stands for `accepts` where it depends on the arguments. */
  acceptsWith?(args: z.output<z.ZodObject<Shape>>): readonly Modality[]
  readonly requests: readonly RequestType[]
  /** Whether tools may be declared with a request, and called by the model. */
  readonly takesTools?: boolean
  readonly code: BackendCode
  /** Types of requests that are answered in another way than the rest. */
  readonly apart?: { readonly [type in RequestType]?: AnsweredApart }
  /** How many requests are under way at once where the user does not say; `adaptive`: as many as the server bears. */
  readonly concurrency: number | 'adaptive'
  /** Requests are sent one at a time, in the order of tasks, docs and samples, whatever the user says. */
  readonly isSequential?: boolean
  /**
   * Who answers. Called before any work; refuses with a PipelineError what can be seen to be wrong (a missing file or
   * key). Must not load anything heavy: a run with nothing pending calls it and never opens the model.
   */
  identify(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<ModelIdentity>
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<Model>
  /**
   * Refuses with a PipelineError where what `open` needs is not here, such as a program to start. Called before docs are read
   * by whoever is going to ask; must not load or start anything.
   */
  ready?(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<void>
  /** Whether a program is started on this machine for these arguments. Backends without this method start none. */
  startsProgram?(args: z.output<z.ZodObject<Shape>>, context: Pick<BackendContext, 'env'>): boolean
  /** The provider's batch API, where it has one. */
  readonly batch?: BatchClientDefinition<NoInfer<Shape>>
}

/** Declares a model backend: one file, one export. */
export const defineBackend = <const Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> =>
  completed(draft)

export type { Failure }

/** What a backend says of its batch API. */
export interface BatchClientDefinition<Shape extends BackendArgs = BackendArgs> {
  /** The most that the provider takes in one batch. */
  readonly most: { readonly requests: number; readonly bytes: number }
  readonly requests: readonly RequestType[]
  open(args: z.output<z.ZodObject<Shape>>, context: BackendContext): Promise<BatchClient>
}

/** A model that gives texts and nothing else: what most have to say of an answer. */
export interface TextModel {
  /** One attempt. Whatever it throws but an {@link AttemptError} or a PipelineError counts as `server`, to be tried again. */
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

/** A backend as its author writes it. What may be left out is what a plugin rarely has anything of its own to say about. */
export interface BackendDraft<Shape extends BackendArgs> extends Omit<BackendDefinition<Shape>, Part> {
  /** By name, or all of them as `z.object(…)`. */
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

/** A draft with all that it leaves out. */
function completed<Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> {
  const args = draft.args instanceof z.ZodObject ? draft.args.shape : draft.args
  return {
    ...draft,
    args,
    summary: draft.summary ?? draft.id,
    requests: draft.requests ?? ['generate_until'],
    code: draft.code ?? { files: [] },
    concurrency: draft.concurrency ?? 'adaptive',
    identify: draft.identify ?? (given => Promise.resolve({ backend: draft.id, args: outputArgs({ args }, given) })),
    open: async (given, context) => answering(await draft.open(given, context), draft.id),
  }
}

function answering(model: Model | TextModel, id: string): Model {
  if ('answer' in model) return model
  return {
    async answer(request, signal) {
      if (request.input.type !== 'generate_until')
        throw new AttemptError('invalid_request', `${id} gives texts, and no ${request.input.type}`, {
          isRetryable: false,
        })
      const { text, finishReason = 'stop', usage } = await model.generate(request, signal)
      return { body: { text, finishReason }, usage }
    },
    ...(model.close && { close: () => model.close?.() ?? Promise.resolve() }),
  }
}

/** A backend whose arguments' types are not known any more, as the registry holds it. */
export type AnyBackend = BackendDefinition
