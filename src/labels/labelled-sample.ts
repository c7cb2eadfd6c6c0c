import { PipelineError } from '../../base/errors/errors.js'
import { labelAddress } from '../../cache/facts/label-rules.js'
import type { NewLabel, Run, StoredLabel } from '../../cache/records.js'
import type { DocPlace, OpenedRun, Sample, Store } from '../../cache/store.js'
import { sampleAt } from '../reading/samples/sample-at.js'

/**
 * Finds a doc by `TASK/DOC`, where DOC is the doc's id.
 *
 * @throws PipelineError (usage) if the run has no such task or doc
 */
export async function findSample(store: Store, opened: OpenedRun, name: string): Promise<Sample> {
  const { run } = opened
  const tasks = run.asked.tasks.flatMap((runTask, task) =>
    name.startsWith(`${runTask.name}/`) ? [{ task, doc: name.slice(runTask.name.length + 1) }] : [],
  )
  for (const { task, doc } of tasks) {
    const index = await store.judgements.findDoc(run, task, doc)
    const sample = index === undefined ? undefined : await sampleAt(store, opened, { task, index })
    if (sample !== undefined) return sample
  }
  const names = run.asked.tasks.map(task => task.name)
  throw new PipelineError(
    'usage',
    tasks.length === 0
      ? `"${name}" names no doc of run ${run.name}: expected TASK/DOC, with one of the tasks ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
      : `run ${run.name} has no doc "${name}"`,
  )
}

/** A label of a sample: label, note and author. */
export type Opinion = Pick<NewLabel, 'label' | 'note' | 'author'>

/**
 * Adds a label to the answers of a sample.
 *
 * @throws PipelineError (usage) if an answer is missing, or if a field has a value that a label cannot have
 */
export async function labelSample(
  store: Pick<Store, 'labels'>,
  run: Run,
  sample: Sample,
  { label, note, author }: Opinion,
): Promise<StoredLabel> {
  const address = labelAddress(sample)
  const task = run.asked.tasks[sample.task]?.name ?? ''
  if (address === undefined)
    throw new PipelineError('usage', `doc ${task}/${sample.id} of run ${run.name} has no answer that can be labelled`)
  return store.labels.add({ ...address, label, note, author, run: run.name, task, doc: sample.id })
}

/** Gaps of up to this many docs are read through, because that is cheaper than a new query. */
const nearby = 20

/** Reads the samples at places in a run. The places must be in the order of task and doc. A place without a doc is left out. */
export async function* samplesAt<Place extends DocPlace>(
  store: Pick<Store, 'judgements'>,
  { run, judgement }: OpenedRun,
  places: readonly Place[],
): AsyncGenerator<readonly [Place, Sample]> {
  let docs: AsyncIterator<Sample, undefined> | undefined
  let current: Sample | undefined
  for (const place of places) {
    const isNear = current?.task === place.task && place.index - current.index <= nearby
    if (docs === undefined || !isNear) {
      docs = samplesFrom(store, { run, ...(judgement && { judgement }) }, place)
      current = undefined
    }
    while (current === undefined || isBefore(current, place)) {
      const next: IteratorResult<Sample, undefined> = await docs.next()
      if (next.done === true) return
      current = next.value
    }
    if (current.task === place.task && current.index === place.index) yield [place, current]
  }
}

async function* samplesFrom(
  store: Pick<Store, 'judgements'>,
  { run, judgement }: OpenedRun,
  { task, index }: DocPlace,
): AsyncGenerator<Sample, undefined> {
  yield* store.judgements.samples(run, judgement, { task, index: index - 1 }, 1)
  return undefined
}

const isBefore = (a: DocPlace, b: DocPlace): boolean => a.task < b.task || (a.task === b.task && a.index < b.index)
