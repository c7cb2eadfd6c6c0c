import type {
  BatchDraft,
  BatchEntry,
  BatchClient,
  BatchResult,
  BatchStatus,
  FoundBatch,
} from '../../stages/model/batch/batch-client.js'
import type { ModelAnswer } from '../../stages/model/model.js'

export interface MadeBatch {
  readonly id: string
  readonly name: string
  readonly entries: readonly BatchEntry[]
  status: BatchStatus
}

/** A provider's batches in memory. Entries of its log in capitals cost money. */
export class FakeBatchLane implements BatchClient {
  readonly address = 'https://provider'
  readonly log: string[] = []
  readonly made: MadeBatch[] = []
  /** How often each request was billed, by its text. */
  readonly billed = new Map<string, number>()
  /** Called at each step. It may throw to make the step fail. */
  before: (step: string) => void = () => undefined
  after: (step: string) => void = () => undefined
  /** Number of polls until a batch has ended. */
  looks = 0
  ending: Pick<BatchStatus, 'state' | 'reason' | 'isExpired'> = { state: 'ended' }
  /** Requests without a result. */
  missing = new Set<string>()
  answer: (text: string) => ModelAnswer = text => ({ body: { text: `re ${text}`, finishReason: 'stop' } })
  sure = true
  /** Whether it reports how many requests are processed. */
  counts = true
  /** The number of results after which each of the next downloads ends without an error. */
  cut: number[] = []
  /** Additional results of requests, by their text. */
  readonly again = new Map<string, string>()
  readonly discarded: string[] = []
  /** Returns a status to report instead of the real one. */
  said: (batch: MadeBatch) => BatchStatus | undefined = () => undefined
  isClosed = false

  measure = ({ request }: BatchEntry): Promise<number> => Promise.resolve(textOf({ request }).length)

  async upload(draft: BatchDraft): Promise<string> {
    this.#step('upload')
    for await (const entry of draft.entries()) textOf(entry)
    this.#done('upload')
    return `file-${draft.name}`
  }

  async submit(draft: BatchDraft, upload: string | undefined): Promise<string> {
    this.#step('submit')
    const entries: BatchEntry[] = []
    for await (const entry of draft.entries()) entries.push(entry)
    for (const entry of entries) this.billed.set(textOf(entry), (this.billed.get(textOf(entry)) ?? 0) + 1)
    const id = `batch-${this.made.length + 1}`
    this.made.push({ id, name: draft.name, entries, status: { state: 'working', done: 0, failed: 0 } })
    if (upload !== `file-${draft.name}`) throw new Error('nothing was uploaded')
    this.#done('submit')
    return id
  }

  find({ name, requests }: { readonly name: string; readonly requests: number }): Promise<FoundBatch> {
    this.#step('find')
    const found = this.made.find(batch => batch.name === name && batch.entries.length === requests)
    return Promise.resolve(found === undefined ? 'none' : this.sure ? { id: found.id } : 'unsure')
  }

  status(id: string): Promise<BatchStatus> {
    this.#step('status')
    const batch = this.#batch(id)
    const done = batch.entries.filter(entry => !this.missing.has(textOf(entry))).length
    const said = this.said(batch)
    if (this.looks > 0) this.looks -= 1
    else batch.status = { ...this.ending, done: this.counts ? done : 0, failed: 0 }
    return Promise.resolve(said ?? batch.status)
  }

  async *results(id: string): AsyncGenerator<BatchResult> {
    this.#step('results')
    yield { id: 'somebody-else', said: '', read: () => this.answer('nothing') }
    let left = this.cut.shift() ?? Infinity
    for (const entry of [...this.#batch(id).entries].reverse()) {
      const text = textOf(entry)
      if (this.missing.has(text)) continue
      if (left-- <= 0) return
      await Promise.resolve()
      yield { id: entry.id, said: text, read: () => this.answer(text) }
      const again = this.again.get(text)
      if (again !== undefined)
        yield { id: entry.id, said: again, read: () => ({ body: { text: again, finishReason: 'stop' } }) }
    }
    this.#done('results')
  }

  discard(upload: string): Promise<void> {
    this.#step('discard')
    this.discarded.push(upload)
    return Promise.resolve()
  }

  cancelling = (id: string): string => `provider cancel ${id}`

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }

  #batch(id: string): MadeBatch {
    const batch = this.made.find(other => other.id === id)
    if (batch === undefined) throw new Error(`no batch ${id}`)
    return batch
  }

  #step(step: string): void {
    this.log.push(step)
    this.before(step)
  }

  #done(step: string): void {
    this.after(step)
  }
}

export function textOf({ request }: Pick<BatchEntry, 'request'>): string {
  const [part] = request.input.messages[0]?.content ?? []
  return part?.type === 'text' ? part.text : ''
}
