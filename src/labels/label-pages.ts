/** Labels a page at a time, for clients of the service. */
import { PipelineError } from '../../base/errors/errors.js'
import type { StoredLabel } from '../../cache/records.js'
import type { DocPlace, OpenedRun, Store } from '../../cache/store.js'
import { currentLabels, labelsOfRun } from '../../cache/facts/current-labels.js'

/** A label, with the place of its doc if the page is about one run. */
export interface ListedLabel {
  readonly label: StoredLabel
  readonly place?: DocPlace
}

export interface LabelPage {
  readonly labels: readonly ListedLabel[]
  /** The cursor of the next page; null after the last label. */
  readonly next: string | null
}

interface PageQuery {
  readonly run?: OpenedRun
  /** The cursor of the page before. */
  readonly after?: string
  readonly limit: number
}

/**
 * Reads a page of the labels that count: of a run in the order of its docs, or of the store in the order of making. A
 * page of the store is shorter than `limit` if labels were replaced or taken back since.
 *
 * @throws PipelineError (usage) if the cursor is unknown
 */
export const labelPage = (store: Store, { run, after, limit }: PageQuery): Promise<LabelPage> =>
  run === undefined ? pageOfStore(store, idIn(after), limit) : pageOfRun(store, run, { after: placeIn(after), limit })

async function pageOfStore(store: Store, after: number, limit: number): Promise<LabelPage> {
  const entries: StoredLabel[] = []
  for await (const label of store.labels.list(after)) {
    entries.push(label)
    if (entries.length === limit) break
  }
  const histories = await store.labels.of(entries)
  const labels = entries.filter((entry, index) =>
    currentLabels(histories[index] ?? []).some(({ id }) => id === entry.id),
  )
  const last = entries.at(-1)
  return {
    labels: labels.map(label => ({ label })),
    next: last === undefined || entries.length < limit ? null : String(last.id),
  }
}

/** All labels of a doc are on one page, which may be a few longer than `limit` therefore. */
async function pageOfRun(
  store: Store,
  { run, judgement }: OpenedRun,
  { after, limit }: { readonly after: DocPlace; readonly limit: number },
): Promise<LabelPage> {
  const labels: ListedLabel[] = []
  let last: DocPlace | undefined
  for (const [key, ofDoc] of await labelsOfRun(store, run, judgement)) {
    const [task = 0, index = 0] = key.split('/').map(Number)
    if (task < after.task || (task === after.task && index <= after.index)) continue
    if (last !== undefined && labels.length >= limit) return { labels, next: `${last.task}:${last.index}` }
    last = { task, index }
    for (const label of ofDoc) labels.push({ label, place: last })
  }
  return { labels, next: null }
}

function idIn(after: string | undefined): number {
  if (after === undefined) return 0
  if (!/^\d{1,15}$/.test(after)) throw unknownCursor()
  return Number(after)
}

function placeIn(after: string | undefined): DocPlace {
  if (after === undefined) return { task: -1, index: -1 }
  const [, task, index] = /^(\d{1,9}):(\d{1,12})$/.exec(after) ?? []
  if (task === undefined) throw unknownCursor()
  return { task: Number(task), index: Number(index) }
}

const unknownCursor = (): PipelineError =>
  new PipelineError('usage', 'cursor: expected the next_cursor of the page before')
