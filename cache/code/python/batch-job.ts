import type { Json } from '../../../base/values/canonical-json.js'
import type { PythonErrorData } from './python-error.js'
import type { Job } from './worker-messages.js'

/** The items of one operation, such as docs to render. Each item gets a separate result. */
export interface Batch {
  readonly op: string
  /** The message with these items only. */
  message(items: readonly number[]): Readonly<Record<string, Json | undefined>>
  readonly seconds: number
  readonly firstSeconds: number
  label(item: number): string
  onResult(item: number, result: Json): void
  /** The result of an item whose process died or hung. */
  onLost(item: number, error: PythonErrorData): void
  /** The whole operation failed: no item gets a result. */
  onError(error: PythonErrorData): void
}

/**
 * A message with some items of a batch. If the process dies, exactly the item that was running is the suspect: it runs once more alone, and fails if
 * the process dies again. The items after it go on in another process.
 */
export class BatchJob implements Job {
  readonly #batch: Batch
  readonly #items: readonly number[]
  readonly #again: (job: BatchJob) => void
  readonly #isSuspect: boolean
  #done = 0

  constructor(batch: Batch, items: readonly number[], again: (job: BatchJob) => void, isSuspect = false) {
    this.#batch = batch
    this.#items = items
    this.#again = again
    this.#isSuspect = isSuspect
  }

  get op(): string {
    return this.#batch.op
  }

  get seconds(): number {
    return this.#batch.seconds
  }

  get firstSeconds(): number {
    return this.#batch.firstSeconds
  }

  get message(): Readonly<Record<string, Json | undefined>> {
    return this.#batch.message(this.#items)
  }

  label(call: number): string {
    const item = this.#items[call]
    return item === undefined ? '' : this.#batch.label(item)
  }

  onPart(index: number, result: Json): void {
    const item = this.#items[index]
    if (item === undefined || index !== this.#done) {
      throw new Error(
        `Internal error: part ${index} of a batch of ${this.#items.length} came after ${this.#done} others`,
      )
    }
    this.#done += 1
    this.#batch.onResult(item, result)
  }

  onDone(): void {
    if (this.#done !== this.#items.length) {
      throw new Error(`Internal error: a batch of ${this.#items.length} ended after ${this.#done}`)
    }
  }

  onError(error: PythonErrorData): void {
    this.#batch.onError(error)
  }

  onLost(error: PythonErrorData, began: boolean): void {
    const [running, ...later] = this.#items.slice(this.#done)
    if (running === undefined) return
    if (!began) {
      this.#again(new BatchJob(this.#batch, [running, ...later], this.#again, this.#isSuspect))
      return
    }
    if (later.length > 0) this.#again(new BatchJob(this.#batch, later, this.#again))
    // A call that exceeded the time limit would exceed it again.
    if (this.#isSuspect || error.type === 'TimeLimit') this.#batch.onLost(running, error)
    else this.#again(new BatchJob(this.#batch, [running], this.#again, true))
  }
}
