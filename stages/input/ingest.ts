import { setImmediate } from 'node:timers/promises'
import { ofDoc } from '../../base/time-limit.js'
import type { Wake } from '../../base/wake.js'
import { isWellFormed } from '../../base/well-formed.js'
import type { Emit, StageEvent } from '../../cache/events.js'
import type { FailureClass, GenerationKwargs, Input, JudgeRecord, Run } from '../../cache/records.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import { docId } from './doc-id.js'
import { docNames } from './doc-names.js'
import { draftDoc, heldBytes, type PlacedDoc } from './draft-doc.js'
import { openMediaIntake, type MediaIntake } from './media/media-intake.js'
import { generationFor } from './generation.js'
import { holdFiles, prepareTask, type PreparedTask } from './prepare-task.js'
import { isGenerated } from './generation-kwargs.js'
import type { Prompting } from './prompting.js'
import { followOf } from './rounds/follow.js'
import type { Rendered } from './render/renderer.js'
import type { RoundRules } from './rounds/round-rules.js'
import { leaseOrWait } from './lease-or-wait.js'
import { rangeOf, type DocRange, type Selection } from './selection.js'
import type { Doc } from './tasks/doc.js'
import type { Task } from './tasks/task.js'

export type { Selection } from './selection.js'

export interface Ingest {
  readonly store: Store
  readonly run: Run
  /** Index into the run's tasks. */
  readonly taskIndex: number
  readonly task: Task
  readonly selection: Selection
  readonly prompting?: Prompting
  /** Put over the task's own generation kwargs. */
  readonly generation?: GenerationKwargs
  /** Tools that the model may have called. */
  readonly tools?: RoundRules['tools']
  /** Tasks that are read at the same time, this one among them; 1 where not given. */
  readonly readers?: number
  /** Notified after each commit. */
  readonly wake: Wake
  /** Aborted: commit what is begun and return. */
  readonly drain: AbortSignal
  readonly emit: Emit
}

/** Docs in one commit: few at first, since nothing is asked before it; fewer, too, where they hold many media. */
const firstDocs = 16
const batchDocs = 500
/** Where several tasks are read: their requests are asked in the order of commits, so that tasks take turns. */
const sharedBatchDocs = 50
const batchBytes = 16 * 2 ** 20
/** New media after which what is read of a batch is committed. */
const partMedia = 32
/** Docs whose media are read and stored at once, of all tasks that are read. */
const concurrency = 16

/**
 * Streams a task's docs into the store, from where it was left. Returns when all are committed, or when `drain` is
 * aborted. While another living process reads them, it waits.
 *
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function ingestTask(ingest: Ingest): Promise<void> {
  try {
    await readTask(ingest)
  } catch (error) {
    // A download that was broken off because nothing more is wanted.
    if (!(ingest.drain.aborted && error instanceof Error && error.name === 'AbortError')) throw error
  }
}

async function readTask(ingest: Ingest): Promise<void> {
  const { store, run, taskIndex, task, emit, drain } = ingest
  if (!(await leaseOrWait(ingest))) return
  const prepared = await preparedFor(ingest)
  const media = openMediaIntake(store.media, prepared.dataset.media)
  const options = draftOptions(ingest, media)
  const range = await rangeOf(ingest.selection, prepared, task.name)
  emit({ type: 'task-opened', task: task.name, ...docsIn(range, prepared.count) })
  const progress = await store.docs.progress(run, taskIndex)
  let seenMedia = 0
  const commit = async (batch: readonly PlacedDoc[], finished: boolean): Promise<void> => {
    await prepared.dataset.watched.check()
    for await (const { docs, isLast } of draftParts(batch, options)) {
      await store.docs.commit(run, taskIndex, docs, finished && isLast)
      ingest.wake.notify()
      const requests = docs.reduce((sum, doc) => sum + doc.requests.length, 0)
      const newMedia = media.newMedia() - seenMedia
      emit({ type: 'docs-read', task: task.name, docs: docs.length, requests, newMedia, ...unmade(docs) })
      seenMedia = media.newMedia()
    }
  }
  let last: readonly PlacedDoc[] = []
  const most = (ingest.readers ?? 1) > 1 ? sharedBatchDocs : batchDocs
  for await (const batch of batches(prepared, { ...range, start: Math.max(range.start, progress.docs) }, most)) {
    if (last.length > 0) await commit(last, false)
    last = batch
    if (drain.aborted) return
    await setImmediate()
  }
  await commit(last, true)
}

/** Requests that could not be made of docs, by class. */
function unmade(docs: readonly DraftDoc[]): Pick<Extract<StageEvent, { type: 'docs-read' }>, 'failed'> {
  const failed: Partial<Record<FailureClass, number>> = {}
  for (const { requests } of docs)
    for (const request of requests)
      if ('failure' in request) failed[request.failure.class] = (failed[request.failure.class] ?? 0) + 1
  return Object.keys(failed).length === 0 ? {} : { failed }
}

/** A task whose files are those that the run was planned with. */
async function preparedFor({ store, run, taskIndex, task, prompting }: Ingest): Promise<PreparedTask> {
  const prepared = await prepareTask(task, prompting)
  const planned = run.asked.tasks[taskIndex]
  if (planned !== undefined) await holdFiles(prepared, planned.dataset, store.files)
  return prepared
}

/**
 * Reads docs once more of which no request could be made: a medium that was missing may be there now. Returns when what
 * could be made of them is committed.
 *
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function reingestDocs(ingest: Ingest, docs: ReadonlySet<number>): Promise<void> {
  const { store, run, taskIndex, drain } = ingest
  if (docs.size === 0) return
  const prepared = await preparedFor(ingest)
  const options = draftOptions(ingest, openMediaIntake(store.media, prepared.dataset.media))
  let [start, end] = [Infinity, 0]
  for (const index of docs) [start, end] = [Math.min(start, index), Math.max(end, index + 1)]
  const range = { start, end, only: docs }
  for await (const batch of batches(prepared, range)) {
    if (drain.aborted) return
    await prepared.dataset.watched.check()
    await store.docs.recommit(run, taskIndex, await draftDocs(batch, options))
    ingest.wake.notify()
  }
}

/**
 * The docs of a task as they would be committed, a batch at a time, without committing them.
 *
 * @param store only its media are used, and only to name them
 * @throws PipelineError where the dataset is missing, damaged or does not fit the task.
 */
export async function* readDrafts(
  reading: Omit<Ingest, 'store' | 'run' | 'taskIndex' | 'wake' | 'emit'> & { readonly store: Pick<Store, 'media'> },
): AsyncGenerator<readonly DraftDoc[]> {
  const { store, task, drain } = reading
  const prepared = await prepareTask(task, reading.prompting)
  const options = draftOptions(reading, openMediaIntake(store.media, prepared.dataset.media))
  for await (const batch of batches(prepared, await rangeOf(reading.selection, prepared, task.name))) {
    if (drain.aborted) return
    yield await draftDocs(batch, options)
    await setImmediate()
  }
}

/** How many docs will be read, where that is known. */
function docsIn({ start, end, only }: DocRange, count: number | undefined): { docs?: number } {
  const last = Math.min(end, count ?? Infinity)
  if (!Number.isFinite(last)) return {}
  if (only === undefined) return { docs: Math.max(0, last - start) }
  let docs = 0
  for (let index = start; index < last; index++) if (only.has(index)) docs++
  return { docs }
}

type DraftOptions = { readonly task: Task; readonly readers?: number | undefined } & Parameters<typeof draftDoc>[2]

const draftOptions = (
  {
    task,
    generation,
    selection,
    prompting,
    tools,
    readers,
  }: Omit<Ingest, 'store' | 'run' | 'taskIndex' | 'wake' | 'emit'>,
  media: MediaIntake,
): DraftOptions => ({
  task,
  media,
  readers,
  generation: { ...generationFor(task, prompting), ...generation },
  ...(selection.firstSample === undefined ? {} : { firstSample: selection.firstSample }),
  repeats: prompting?.repeats,
  rounds: roundRules(task, prompting, tools),
})

function roundRules(task: Task, prompting: Prompting | undefined, tools: RoundRules['tools']): RoundRules {
  const follow = followOf(task, prompting)
  return {
    ...(follow === undefined ? {} : { by: follow.by.key }),
    ...(tools === undefined || !isGenerated(task.config.output_type)
      ? {}
      : { tools, repeatTools: task.config.repeat_tools }),
  }
}

/** A doc whose id can not be stored as it is fails: under another id nobody would find it again. */
function withId(doc: Doc, rendered: Rendered): Rendered {
  const id = docId(doc, 0)
  if (isWellFormed(id)) return rendered
  const reason = `its id ${JSON.stringify(id)} holds half of a character (a lone surrogate), which no text file can hold. Mend the id in the data`
  return { type: 'failed', record: rendered.record, reason }
}

/** Milliseconds of rendering after which everything else has its turn. */
const turnMs = 50

/** Rendered docs of a range, a bounded number at a time. */
async function* batches(
  prepared: PreparedTask,
  range: DocRange,
  mostDocs = batchDocs,
): AsyncGenerator<readonly PlacedDoc[]> {
  let batch: PlacedDoc[] = []
  let bytes = 0
  let most = firstDocs
  let index = -1
  let turnEnd = performance.now() + turnMs
  if (range.start >= range.end) return
  const choose = prepared.examples?.()
  const nameOf = docNames()
  for await (const doc of prepared.docs()) {
    if (++index >= range.end) break
    const id = nameOf(doc, index)
    // Chosen also for docs that are passed over: so each has the same examples whatever part of the task is read.
    const examples = choose?.(doc)
    if (index < range.start || range.only?.has(index) === false) continue
    const rendered = withId(
      doc,
      ofDoc(prepared.task, id, () => prepared.renderer.render(doc, examples)),
    )
    batch.push({ doc, index, id, rendered })
    bytes += heldBytes(rendered)
    if (performance.now() > turnEnd) {
      await setImmediate()
      turnEnd = performance.now() + turnMs
    }
    if (batch.length >= most || bytes >= batchBytes) {
      yield batch
      most = Math.min(mostDocs, 2 * most)
      batch = []
      bytes = 0
    }
    if (index + 1 >= range.end) break
  }
  if (batch.length > 0) yield batch
}

async function draftDocs(batch: readonly PlacedDoc[], options: DraftOptions): Promise<readonly DraftDoc[]> {
  const docs: DraftDoc[] = []
  for await (const part of draftParts(batch, options)) docs.push(...part.docs)
  return docs
}

/** The docs of a batch; in several parts where storing their media takes so long that the model would wait for all of them. */
async function* draftParts(
  batch: readonly PlacedDoc[],
  options: DraftOptions,
): AsyncGenerator<{ readonly docs: readonly DraftDoc[]; readonly isLast: boolean }> {
  const { task, media, readers = 1 } = options
  const atOnce = Math.max(1, Math.floor(concurrency / readers))
  let docs: DraftDoc[] = []
  let newMedia = media.newMedia()
  if (batch.length === 0) yield { docs, isLast: true }
  for (let from = 0; from < batch.length; from += atOnce) {
    const drafts = batch.slice(from, from + atOnce).map(placed => draftDoc(placed, task, options))
    // All at once before one by one, so that no rejection is left unheard.
    await Promise.all(drafts.filter(draft => draft instanceof Promise))
    for (const draft of drafts) docs.push(draft instanceof Promise ? await draft : draft)
    const isLast = from + atOnce >= batch.length
    if (!isLast && media.newMedia() - newMedia < partMedia) continue
    yield { docs, isLast }
    docs = []
    newMedia = media.newMedia()
  }
}

/** One doc as it would be asked and judged now. */
export interface ReadRecord {
  readonly index: number
  /** In the order of choice; empty where no request could be made. */
  readonly inputs: readonly Input[]
  readonly record: JudgeRecord
}

/** The docs as the task renders them now, without committing them: for rescoring after targets have changed. */
export async function* readRecords(options: {
  readonly store: Store
  readonly task: Task
  readonly selection: Selection
  readonly prompting?: Prompting
}): AsyncGenerator<ReadRecord> {
  const { store, task } = options
  const prepared = await prepareTask(task, options.prompting)
  const media = openMediaIntake(store.media, prepared.dataset.media)
  for await (const batch of batches(prepared, await rangeOf(options.selection, prepared, task.name)))
    for (const { index, record, requests } of await draftDocs(batch, { task, media, generation: task.generation })) {
      const inputs = requests.flatMap(request => ('input' in request && request.sample === 0 ? [request.input] : []))
      yield { index, inputs, record }
    }
}
