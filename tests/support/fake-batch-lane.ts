import type {
  BatchDraft,
  BatchEntry,
  BatchLane,
  BatchResult,
  BatchStatus,
  FoundBatch,
} from '../../stages/model/batch/batch-lane.js'
import type { ModelAnswer } from '../../stages/model/define-backend.js'

interface MadeBatch {
  readonly id: string
  readonly name: string
  readonly entries: readonly BatchEntry[]
  status: BatchStatus
}

/** A provider's batches in memory. What is written in capitals in its log costs. */
export class FakeBatchLane implements BatchLane {
  readonly address = 'https://provider'
  readonly log: string[] = []
  readonly made: MadeBatch[] = []
  /** How often each request was made to cost, by its text. */
  readonly billed = new Map<string, number>()
  /** Called at each step, and may throw in its place. */
  before: (step: string) => void = () => undefined
  after: (step: string) => void = () => undefined
  /** Looks at a batch until it has ended. */
  looks = 0
  ending: Pick<BatchStatus, 'state' | 'reason' | 'isExpired'> = { state: 'ended' }
  /** Requests that nothing comes back for. */
  missing = new Set<string>()
  answer: (text: string) => ModelAnswer = text => ({ body: { text: `re ${text}`, finishReason: 'stop' } })
  sure = true
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
    const done = batch.entries.length
    if (this.looks > 0) this.looks -= 1
    else batch.status = { ...this.ending, done, failed: 0 }
    return Promise.resolve(batch.status)
  }

  async *results(id: string): AsyncGenerator<BatchResult> {
    this.#step('results')
    yield { id: 'somebody-else', read: () => this.answer('nothing') }
    for (const entry of [...this.#batch(id).entries].reverse()) {
      const text = textOf(entry)
      if (this.missing.has(text)) continue
      await Promise.resolve()
      yield { id: entry.id, read: () => this.answer(text) }
    }
    this.#done('results')
  }

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
