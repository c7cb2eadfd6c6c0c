import { join } from 'node:path'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import {
  conflictMessage,
  type Conflict,
  type ExportedRun,
  type FailureRow,
  type ImportOutcome,
  type ItemRow,
  type OnConflict,
  type PortableJudgement,
  type PortableRun,
  type PortableStore,
  type PreimageRow,
  type ResponseRow,
  type RunTables,
  type VerdictRow,
} from '../../cache/bundle/portable.js'
import { FileMediaStore } from '../../cache/media/file-media-store.js'
import type { Run } from '../../cache/records.js'
import type { MediaStore } from '../../cache/store.js'
import { collect, table } from './portable-runs.js'

interface StoredJudgement {
  readonly head: Omit<PortableJudgement, 'verdicts'>
  readonly verdicts: Map<string, VerdictRow>
}

interface StoredRun {
  readonly run: Run
  progress: PortableRun['progress']
  readonly preimages: Map<string, PreimageRow>
  readonly items: Map<string, ItemRow>
  readonly failures: Map<string, FailureRow>
  readonly judgements: Map<string, StoredJudgement>
}

interface Content {
  readonly runs: Map<string, StoredRun>
  readonly responses: Map<string, ResponseRow>
  readonly scores: Map<string, string>
}

const text = (value: object): string => canonicalJson(value as Json)
const place = (row: { task: string; doc_index: number; choice?: number; sample?: number }): string =>
  [row.task, ...[row.doc_index, row.choice ?? 0, row.sample ?? 0].map(n => String(n).padStart(9, '0'))].join('/')
const sortedValues = <T>(map: ReadonlyMap<string, T>): T[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)

/** The simplest implementation of `PortableStore`: maps that are copied before they change. Each run has one task. */
export class MemoryPortableStore implements PortableStore {
  readonly location: string
  readonly workFolder: string
  readonly media: MediaStore
  #content: Content = { runs: new Map(), responses: new Map(), scores: new Map() }

  constructor(dir: string) {
    this.location = dir
    this.workFolder = dir
    const refuse = (): Promise<never> => Promise.reject(new Error('media come as bytes here'))
    this.media = new FileMediaStore(join(dir, 'media'), refuse, error => error)
  }

  exportRun(run: Run): Promise<ExportedRun> {
    const { responses, scores } = this.#content
    const stored = this.#content.runs.get(run.id)
    if (stored === undefined) throw new Error('no such run')
    const items = sortedValues(stored.items)
    const isAnswered = (item: ItemRow): boolean => item.response_key !== null && responses.has(item.response_key)
    const answered = new Set(items.filter(isAnswered).map(item => item.response_key ?? ''))
    const failures = sortedValues(stored.failures).filter(row => {
      const item = stored.items.get(place(row))
      return item !== undefined && !isAnswered(item)
    })
    const failed = new Set(failures.map(place))
    const { id, name, asked, provenance, createdAt } = run
    return Promise.resolve({
      ...{ id, name, asked, provenance, createdAt },
      progress: stored.progress,
      pending: items.filter(item => !isAnswered(item) && !failed.has(place(item))).length,
      preimages: table(sortedValues(stored.preimages)),
      items: table(items),
      responses: table([...answered].flatMap(key => responses.get(key) ?? [])),
      failures: table(failures),
      judgements: sortedValues(stored.judgements).map(({ head, verdicts }, index) => ({
        ...head,
        number: index + 1,
        verdicts: table(
          sortedValues(verdicts).map(row => ({ ...row, body: row.score_key && (scores.get(row.score_key) ?? null) })),
        ),
        stamp: text([...verdicts.values()].map(row => row.score_key)),
      })),
      stamp: text([items.length, answered.size, failures.map(row => row.at)]),
    })
  }

  runTables(run: Run): Promise<RunTables> {
    return this.exportRun(run)
  }

  async importRun(from: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
    const merge = new Merge(structuredClone(this.#content), from)
    await merge.all()
    if (merge.conflicts.length > 0 && onConflict === 'refuse')
      throw new PipelineError('bundle', conflictMessage(from.name, merge.conflicts))
    const isNew = !this.#content.runs.has(from.id)
    this.#content = merge.content
    const { added, present, conflicts } = merge
    return { run: merge.target.run, isNew, added, present, conflicts }
  }
}

class Merge {
  readonly content: Content
  readonly target: StoredRun
  readonly conflicts: Conflict[] = []
  readonly added = { items: 0, responses: 0, scores: 0 }
  readonly present = { items: 0, responses: 0, scores: 0 }
  readonly #from: PortableRun

  constructor(content: Content, from: PortableRun) {
    this.content = content
    this.#from = from
    const { id, name, asked, provenance, createdAt, progress } = from
    this.target = content.runs.get(id) ?? {
      run: { ref: content.runs.size + 1, id, name, asked, provenance, createdAt },
      progress,
      preimages: new Map(),
      items: new Map(),
      failures: new Map(),
      judgements: new Map(),
    }
    content.runs.set(id, this.target)
  }

  async all(): Promise<void> {
    const from = this.#from
    const { target } = this
    target.progress = target.progress.map((ours, task) => {
      const theirs = from.progress[task] ?? ours
      return { docs: Math.max(ours.docs, theirs.docs), finished: ours.finished || theirs.finished }
    })
    for (const row of await collect(from.preimages)) target.preimages.set(row.key, row)
    for (const row of await collect(from.items))
      this.#add('items', { kind: 'item', key: `t/${row.doc_id}` }, target.items, place(row), row)
    for (const row of await collect(from.responses)) this.#response(row)
    for (const row of await collect(from.failures)) target.failures.set(`${place(row)} ${text(row)}`, row)
    for (const judgement of from.judgements) await this.#judgement(judgement)
  }

  #add<T>(count: 'items' | 'scores', conflict: Conflict, map: Map<string, T>, key: string, value: T): void {
    const ours = map.get(key)
    if (ours === undefined) {
      map.set(key, value)
      this.added[count] += 1
    } else if (text([ours] as object) === text([value] as object)) this.present[count] += 1
    else this.conflicts.push(conflict)
  }

  #response(row: ResponseRow): void {
    const ours = this.content.responses.get(row.response_key)
    if (ours === undefined) {
      this.content.responses.set(row.response_key, row)
      this.added.responses += 1
    } else if (ours.answer === row.answer) this.present.responses += 1
    else this.conflicts.push({ kind: 'response', key: row.response_key })
  }

  async #judgement({ verdicts, ...head }: PortableJudgement): Promise<void> {
    const key = `${String(head.createdAt).padStart(15, '0')} ${text(head.tasks)}`
    const ours = this.target.judgements.get(key) ?? { head, verdicts: new Map<string, VerdictRow>() }
    const kept = (ours.head.finishedAt ?? -1) < (head.finishedAt ?? -1) ? head : ours.head
    this.target.judgements.set(key, { head: kept, verdicts: ours.verdicts })
    for (const row of await collect(verdicts)) {
      if (row.score_key !== null && row.body !== null)
        this.#add('scores', { kind: 'score', key: row.score_key }, this.content.scores, row.score_key, row.body)
      const before = ours.verdicts.get(place(row))
      if (before === undefined || before.score_key === null) ours.verdicts.set(place(row), row)
      else if (row.score_key !== null && before.score_key !== row.score_key)
        this.conflicts.push({ kind: 'verdict', key: `${row.task}/${row.doc_id}` })
    }
  }
}
