import type { AnswerDigest, FileDigest, MediaDigest, RecordKey, ResponseKey, ScoreKey } from '../../cache/digest.js'
import { judgeRecordKey } from '../../cache/keys.js'
import type { ProviderBatch } from '../../cache/batches.js'
import {
  isPermanent,
  type Failure,
  type Judgement,
  type JudgeRecord,
  type Run,
  type ScoreBody,
  type StoredLabel,
} from '../../cache/records.js'
import { requestKeys, type RequestKeys } from '../../cache/request-keys.js'
import type {
  DraftDoc,
  DraftRequest,
  Holder,
  InputProgress,
  StoredAnswer,
  StoredToken,
  UnsentRequests,
} from '../../cache/store.js'
import { requeue, type StoredJob } from './memory-job.js'

export interface StoredRun {
  readonly run: Run
  started: number
  /** Items in the order of their creation. */
  items: StoredItem[]
  readonly progress: Map<number, InputProgress>
  readonly files: Map<string, MediaDigest>
  /** Which owner reads the docs of a task. */
  readonly readers: Map<number, string>
}

export interface StoredItem {
  readonly id: number
  readonly run: number
  readonly task: number
  readonly doc: number
  readonly docId: string
  readonly choice: number
  readonly sample: number
  readonly record: RecordKey
  /** Undefined if no request could be created. */
  readonly request: number | undefined
}

export interface StoredRequest {
  readonly number: number
  readonly keys: RequestKeys
  readonly asked: Extract<DraftRequest, { input: unknown }>
}

interface StoredFailure {
  readonly id: number
  readonly run: number
  readonly item: number
  readonly request: number | undefined
  readonly failure: Failure
  readonly isPermanent: boolean
  readonly owner: string
}

interface StoredJudgement {
  judgement: Judgement
  readonly text: string
  readonly verdicts: Map<string, ScoreKey>
  readonly revisions: Map<string, RecordKey>
}

interface StoredBatch {
  batch: Omit<ProviderBatch, 'open'>
  owner: string | undefined
}

/** A process that works on the store, as other processes see it. */
interface StoredOwner {
  isAlive: boolean
  readonly pid: number
  silentMs: number
  answers: number
}

/** Data that the handles of a memory store share. Row numbers start at 1. */
export class MemoryData {
  readonly owners = new Map<string, StoredOwner>()
  readonly runs = new Map<number, StoredRun>()
  readonly records = new Map<RecordKey, JudgeRecord>()
  readonly requests = new Map<number, StoredRequest>()
  readonly requestNumbers = new Map<ResponseKey, number>()
  readonly responses = new Map<number, StoredAnswer & { readonly seq: number; readonly digest: AnswerDigest }>()
  failures: StoredFailure[] = []
  readonly leases = new Map<number, { readonly owner: string; readonly token: number }>()
  /** The batch that holds a request. */
  readonly batched = new Map<number, number>()
  readonly batches = new Map<number, StoredBatch>()
  readonly judgements = new Map<number, StoredJudgement>()
  readonly scores = new Map<ScoreKey, ScoreBody>()
  /** In the order of submission. */
  readonly jobs = new Map<string, StoredJob>()
  /** Oldest first. */
  readonly tokens = new Map<string, StoredToken>()
  /** In the order of their creation. */
  readonly labels: StoredLabel[] = []
  readonly tags = new Map<number, readonly string[]>()
  readonly media = new Map<MediaDigest, Uint8Array>()
  readonly values = new Map<string, string>()
  readonly fileDigests = new Map<string, { readonly state: string; readonly digest: FileDigest }>()
  /** The owners that work on a run. */
  readonly working = new Map<number, Set<string>>()
  readonly numbers = { run: 0, item: 0, request: 0, response: 0, failure: 0, token: 0, judgement: 0, batch: 0, job: 0 }
  /** Number of changes by any owner. */
  commits = 0

  admit(owner: string, pid = this.owners.size + 1): StoredOwner {
    const known = this.owners.get(owner) ?? { isAlive: true, pid, silentMs: 0, answers: 0 }
    known.isAlive = true
    this.owners.set(owner, known)
    return known
  }

  isAlive(owner: string): boolean {
    return this.owners.get(owner)?.isAlive === true
  }

  /** Kills a process: its leases are free for others. */
  kill(owner: string): void {
    this.admit(owner).isAlive = false
    this.commits += 1
  }

  /** Releases everything that a process holds. */
  leave(owner: string): void {
    for (const [request, lease] of this.leases) if (lease.owner === owner) this.leases.delete(request)
    for (const { run } of this.runs.values()) this.leaveRun(run, owner)
    for (const batch of this.batches.values()) if (batch.owner === owner) batch.owner = undefined
    for (const entry of this.jobs.values()) if (entry.owner === owner) requeue(entry)
  }

  holder(owner: string, items: number): Holder {
    const { pid, silentMs } = this.admit(owner)
    return { host: 'here', pid, isHere: true, items, silentMs }
  }

  work(run: Run, owner: string): void {
    const owners = this.working.get(run.ref) ?? new Set()
    this.working.set(run.ref, owners.add(owner))
  }

  leaveRun({ ref }: Run, owner: string): void {
    this.working.get(ref)?.delete(owner)
    const { readers = new Map<number, string>() } = this.runs.get(ref) ?? {}
    for (const [task, reader] of readers) if (reader === owner) readers.delete(task)
  }

  run({ ref }: Pick<Run, 'ref'>): StoredRun {
    const found = this.runs.get(ref)
    if (found === undefined) throw new Error(`there is no run ${ref}`)
    return found
  }

  latestStart(): number {
    return Math.max(0, ...[...this.runs.values()].map(({ started }) => started))
  }

  removeRun(ref: number): void {
    this.runs.delete(ref)
    this.working.delete(ref)
    this.tags.delete(ref)
    this.failures = this.failures.filter(({ run }) => run !== ref)
    for (const [number, { judgement }] of this.judgements) if (judgement.run === ref) this.judgements.delete(number)
  }

  addDocs(
    { ref }: Pick<Run, 'ref'>,
    { task, docs, finished }: { readonly task: number; readonly docs: readonly DraftDoc[]; readonly finished: boolean },
  ): UnsentRequests {
    const stored = this.run({ ref })
    const keysOf = requestKeys(stored.run.asked)
    const unsent = { answered: 0, shared: 0 }
    for (const doc of docs) {
      const { key: record, preimage } = judgeRecordKey(doc.record)
      // A stored record has no undefined fields.
      this.records.set(record, JSON.parse(preimage) as JudgeRecord)
      for (const { path, digest } of doc.files ?? []) stored.files.set(path, digest)
      for (const request of doc.requests) {
        const use = this.#addItem(stored, { task, doc, record, request, keysOf })
        if (use !== undefined) unsent[use] += 1
      }
    }
    const before = stored.progress.get(task) ?? { docs: 0, finished: false }
    stored.progress.set(task, {
      docs: Math.max(before.docs, (docs.at(-1)?.index ?? -1) + 1),
      finished: before.finished || finished,
    })
    return unsent
  }

  /** @returns why the item's request need not be sent, if so */
  #addItem(
    stored: StoredRun,
    by: {
      readonly task: number
      readonly doc: DraftDoc
      readonly record: RecordKey
      readonly request: DraftRequest
      readonly keysOf: ReturnType<typeof requestKeys>
    },
  ): keyof UnsentRequests | undefined {
    const { task, doc, record, request } = by
    const { choice, sample } = request
    const number =
      'input' in request
        ? this.#requestNumber(request, by.keysOf({ ...request, sample: request.draw ?? sample }))
        : undefined
    const use = this.#requestUse(stored, number)
    const isThere = stored.items.some(
      item => item.task === task && item.doc === doc.index && item.choice === choice && item.sample === sample,
    )
    if (isThere) return use
    const place = { run: stored.run.ref, task, doc: doc.index, docId: doc.id, choice, sample }
    const item = { id: ++this.numbers.item, ...place, record, request: number }
    stored.items.push(item)
    if ('failure' in request) this.addFailure(item, request.failure, '')
    return use
  }

  #requestUse({ items }: StoredRun, request: number | undefined): keyof UnsentRequests | undefined {
    if (request === undefined) return undefined
    if (this.responses.has(request)) return 'answered'
    return items.some(item => item.request === request) ? 'shared' : undefined
  }

  #requestNumber(asked: StoredRequest['asked'], keys: RequestKeys): number {
    const known = this.requestNumbers.get(keys.response)
    if (known !== undefined) return known
    const number = ++this.numbers.request
    this.requests.set(number, { number, keys, asked })
    this.requestNumbers.set(keys.response, number)
    return number
  }

  /** Removes items of docs for which no request could be created. */
  dropUnmade(run: Run, task: number, docs: readonly number[]): void {
    const stored = this.run(run)
    const isDropped = (item: StoredItem): boolean =>
      item.task === task && item.request === undefined && docs.includes(item.doc)
    const dropped = new Set(stored.items.filter(isDropped).map(({ id }) => id))
    stored.items = stored.items.filter(({ id }) => !dropped.has(id))
    this.failures = this.failures.filter(({ item }) => !dropped.has(item))
  }

  addFailure(item: Pick<StoredItem, 'id' | 'run' | 'request'>, failure: Failure, owner: string): void {
    const { id, run, request } = item
    const permanent = isPermanent(failure)
    this.failures.push({
      ...{ id: ++this.numbers.failure, run, item: id, request, failure, isPermanent: permanent, owner },
    })
  }

  /** Returns the failure of an item: its own, or that of its request, in this run or permanent. */
  failureOf(item: StoredItem): StoredFailure | undefined {
    return this.failures.findLast(
      ({ item: id, request, run, isPermanent: forGood }) =>
        id === item.id || (request !== undefined && request === item.request && (forGood || run === item.run)),
    )
  }
}

export const placeOf = ({ task, doc }: { readonly task: number; readonly doc: number }): string => `${task}/${doc}`
