import type { ModelAnswer, ModelRequest } from '../model.js'

/** One request of a batch, under the name that its result comes back with. */
export interface BatchEntry {
  readonly id: string
  readonly request: ModelRequest
}

/** A batch that is to be handed in. */
export interface BatchDraft {
  /** Ours: twelve hexadecimal digits. The id of each entry begins with them. */
  readonly name: string
  readonly requests: number
  /** All entries, in the same order whenever they are asked for, read as they are needed. */
  entries(): AsyncIterable<BatchEntry>
}

/** The state of a batch at the provider. */
export interface BatchStatus {
  /** `refused`: none of it was answered, and none will be. */
  readonly state: 'working' | 'ended' | 'refused'
  /** The provider's words: what is wrong with a refused batch, or how one ended that did not go its way. */
  readonly reason?: string
  /** Whether it ended because its time was over. */
  readonly isExpired?: boolean
  /** Whether the provider has yet to say whether it takes it. */
  readonly isChecking?: boolean
  /** Whether a batch was refused because the account's queue would hold too much. */
  readonly isQueueFull?: boolean
  /** Requests that are through, with those that failed: of each there is a result when it has ended. 0 where that is not known. */
  readonly done: number
  readonly failed: number
}

/** What came back for one entry. */
export interface BatchResult {
  readonly id: string
  /** What it says, as a text that is equal for equal results; without it two results of one request are taken for equal. */
  readonly said?: string | undefined
  /** @throws AttemptError where it is no answer. */
  read(request: ModelRequest): ModelAnswer
}

/** Whether a batch that was perhaps handed in is at the provider. `unsure`: one that is may be it; later it can be told. */
export type FoundBatch = { readonly id: string } | 'unsure' | 'none'

/**
 * A provider's batch API, opened. Each call makes one attempt; when to call and what is durable in between are not its own.
 * All throw AttemptError where an attempt failed.
 */
export interface BatchClient {
  /** The address of its batches: `https://api.openai.com/v1`. A client of another address cannot collect them. */
  readonly address: string
  /** Bytes that an entry takes in a batch. @throws AttemptError where the request can't be made. */
  measure(entry: BatchEntry): Promise<number>
  /**
   * Brings the requests to the provider, which costs nothing yet, where that is a step of its own.
   *
   * @returns the provider's name for them
   * @throws EntryError where one of them can't be sent
   */
  upload?(draft: BatchDraft, signal: AbortSignal): Promise<string>
  /**
   * Makes the provider work: from here on it costs.
   *
   * @param upload what `upload` returned
   * @returns the provider's name for the batch
   */
  submit(draft: BatchDraft, upload: string | undefined, signal: AbortSignal): Promise<string>
  /** Looks for a batch that `submit` was begun for at `since` (milliseconds since 1970) and whose name is not known. */
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
  /** Removes what `upload` brought to the provider, of a batch that is never made. */
  discard?(upload: string, signal: AbortSignal): Promise<void>
  /** A command line, without secrets, that makes the provider stop working on a batch. */
  cancelling?(id: string): string
  /** The results of a batch that has ended, in any order. */
  results(id: string, signal: AbortSignal): AsyncIterable<BatchResult>
  close(): Promise<void>
}

/** An entry of a batch can't be sent, so the others can't be sent together with it. */
export class EntryError extends Error {
  override readonly name = 'EntryError'
  readonly id: string

  constructor(id: string, cause: Error) {
    super(cause.message, { cause })
    this.id = id
  }
}
