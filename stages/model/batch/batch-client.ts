import type { ResponseKey } from '../../../cache/digest.js'
import type { ModelAnswer, ModelRequest } from '../model.js'

/** One request of a batch, with the id under which its result is returned. */
export interface BatchEntry {
  readonly id: string
  readonly request: ModelRequest
}

/** A batch to be submitted. */
export interface BatchDraft {
  /** The name that this program chose: twelve hexadecimal digits. The id of each entry begins with it. */
  readonly name: string
  readonly requests: number
  /** Reads all entries as they are needed, in the same order on every call. */
  entries(): AsyncIterable<BatchEntry>
}

/** The state of a batch at the provider. */
export interface BatchStatus {
  /** `refused`: no request of it was answered, and none will be. */
  readonly state: 'working' | 'ended' | 'refused'
  /** The provider's explanation of a rejected batch, or of a batch's early end. */
  readonly reason?: string
  /** True if it ended because its time was over. */
  readonly isExpired?: boolean
  /** True if the provider has not yet accepted or rejected the batch. */
  readonly isChecking?: boolean
  /** True if a batch was refused because the account's queue would be too full. */
  readonly isQueueFull?: boolean
  /** The number of finished requests, including failed ones. Each has a result when the batch has ended. 0 if it is unknown. */
  readonly done: number
  readonly failed: number
}

/** The result of one entry. */
export interface BatchResult {
  readonly id: string
  /** A text that is equal for equal results. Without it, two results of one request count as equal. */
  readonly said?: string | undefined
  /** Reads the answer. @throws AttemptError if the result is not an answer */
  read(request: ModelRequest): ModelAnswer
  /** Stores the media of the answer that was read. @default answers have none */
  readonly keep?: (answer: ModelAnswer) => Promise<ModelAnswer>
}

/** The result of looking for a batch that may have been submitted. `unsure`: an existing batch may be it, which shows later. */
export type FoundBatch = { readonly id: string } | 'unsure' | 'none'

/**
 * A client of a provider's batch API. Each call makes one attempt. The caller decides when to call, and commits
 * progress in between. All methods throw AttemptError if an attempt failed.
 */
export interface BatchClient {
  /** The address of the batches, such as `https://api.openai.com/v1`. A client with another address cannot collect them. */
  readonly address: string
  /** Computes the size of an entry in bytes. @throws AttemptError if the request cannot be made */
  measure(entry: BatchEntry): Promise<number>
  /** Replaces a request by the one that is sent, for example with video frames. @default the request itself */
  show?(request: ModelRequest): Promise<ModelRequest>
  /** Tells by what a request sends. @returns undefined for a request that is always sent. @throws AttemptError if its media cannot be made */
  findAlike?(request: ModelRequest): Promise<SentAlike | undefined>
  /**
   * Uploads the requests, for providers with a separate upload. It costs nothing yet.
   *
   * @returns the provider's id of the upload
   * @throws EntryError if one of the requests cannot be sent
   */
  upload?(draft: BatchDraft, signal: AbortSignal): Promise<string>
  /**
   * Creates the batch at the provider, which costs money from here on.
   *
   * @param upload the id that `upload` returned
   * @returns the provider's id of the batch
   */
  submit(draft: BatchDraft, upload: string | undefined, signal: AbortSignal): Promise<string>
  /** Finds a batch with an unknown id, whose `submit` began at `since` (milliseconds since 1970). */
  find(
    batch: {
      readonly name: string
      readonly requests: number
      readonly upload?: string | undefined
      readonly since: number
    },
    signal: AbortSignal,
  ): Promise<FoundBatch>
  status(id: string, signal: AbortSignal): Promise<BatchStatus>
  /** Deletes an upload whose batch is never created. */
  discard?(upload: string, signal: AbortSignal): Promise<void>
  /** Returns a shell command, without secrets, that cancels a batch. */
  cancelling?(id: string): string
  /** Reads the results of a batch that has ended, in any order. */
  results(id: string, signal: AbortSignal): AsyncIterable<BatchResult>
  close(): Promise<void>
}

/** The key of what a request sends, and the answer to an earlier request that sent the same. */
export interface SentAlike {
  /** The key that all requests share which send the same. */
  readonly sent: ResponseKey
  readonly answer?: ModelAnswer
  /** Notes that this request is sent, so that others find its answer. */
  remember(): Promise<void>
}

/** The error for an entry that cannot be sent. The other entries cannot be sent together with it. */
export class EntryError extends Error {
  override readonly name = 'EntryError'
  readonly id: string

  constructor(id: string, cause: Error) {
    super(cause.message, { cause })
    this.id = id
  }
}
