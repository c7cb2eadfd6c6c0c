import { z } from 'zod'
import type {
  CodeRevision,
  GenerationKwargs,
  Failure,
  Input,
  JsonObject,
  ModelIdentity,
  RequestType,
  ResponseBody,
  Usage,
} from '../../cache/records.js'
import type { FileDigest, MediaDigest } from '../../cache/digest.js'
import { completed, type BackendDraft } from './backend-draft.js'
import type { BatchClientDefinition } from './batch/batch-client.js'

declare const effect: unique symbol
/** A schema that says whether its value can change an output. One that does not say does not compile as an argument. */
export type Declared<S extends z.ZodType = z.ZodType> = S & { readonly [effect]: 'output' | 'transport' }

/** An argument that can change what the model answers: part of every key. The outermost wrapper of its schema. */
export const affectsOutput = <S extends z.ZodType>(schema: S): Declared<S> =>
  schema.meta({ ...schema.meta(), effect: 'output' }) as Declared<S>

/** An argument that cannot (address of a proxy, key, concurrency, retries): in no key, and a secret if its name says so. */
export const transport = <S extends z.ZodType>(schema: S): Declared<S> =>
  schema.meta({ ...schema.meta(), effect: 'transport' }) as Declared<S>

/** One request as a backend sees it. */
export interface ModelRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  /** 0 … repeats−1. */
  readonly sample: number
}

/** What a backend gives back for one attempt that was answered. */
export interface ModelAnswer {
  readonly body: ResponseBody
  readonly usage?: Usage | undefined
  /** Milliseconds that parts of it took in attempts before this one, which were kept. */
  readonly earlierMs?: number
}

/** Thrown where the rest of an answer is left for another time: nothing has failed, and what there is of it is kept. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater'
}

/** How much of something a server grants in a time, as far as it says. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** Milliseconds until all of it is granted again. */
  readonly resetMs?: number
}

/** What a server says of its limits with an answer or a refusal; of this account and model. */
export interface RateLimits {
  readonly requests?: RateLimit
  readonly tokens?: RateLimit
}

/** What is seen of an attempt at the moment when it happens: whoever listens has the clock. */
export type AttemptProgress =
  /** There is a socket for it; one that was there already, or a new one. */
  | { readonly type: 'connected'; readonly isReused: boolean }
  /** So many more bytes of the request are on their way. */
  | { readonly type: 'sent'; readonly bytes: number }
  /** The first piece of text came. Not known where an answer comes in one piece. */
  | { readonly type: 'first-token' }
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'limits'; readonly limits: RateLimits }

/** Listens to one attempt. */
export type AttemptWatch = (progress: AttemptProgress) => void

/** Of an attempt that sends several requests, one after another. */
export interface FurtherRequests {
  /** The one that was sent last was answered. */
  answered(usage: Usage | undefined): void
  /** Resolves when the next may be sent. @throws LeftForLater where nothing more is to be begun */
  next(request: ModelRequest): Promise<void>
}

/** An opened model. It makes one attempt and says what happened; retry, pace, cache and progress are not its own. */
export interface Model {
  /** @param further told and asked by a model that sends more than one request */
  answer(
    request: ModelRequest,
    signal: AbortSignal,
    watch?: AttemptWatch,
    further?: FurtherRequests,
  ): Promise<ModelAnswer>
  close?(): Promise<void>
}

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
  /** Where the medium's file is, with its size: for streaming. */
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
  /** Where what a program of this name writes is kept: a new file in the store's folder. */
  logFile?(name: string): string
  /** Tells the user what goes on, where that takes long. */
  note?(text: string): void
  /** Aborted where nothing new is to be begun: opening a model that takes minutes ends early. */
  readonly interrupted?: AbortSignal
}

export type BackendArgs = Readonly<Record<string, Declared>>

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
  /** The provider's batch API, where it has one. */
  readonly batch?: BatchClientDefinition<NoInfer<Shape>>
}

/** Declares a model backend: one file, one export. */
export const defineBackend = <const Shape extends BackendArgs>(draft: BackendDraft<Shape>): BackendDefinition<Shape> =>
  completed(draft)

export { AttemptError } from './attempt-error.js'

/** A backend whose arguments' types are not known any more, as the registry holds it. */
export type AnyBackend = BackendDefinition

export type { Failure }
