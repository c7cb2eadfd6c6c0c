import type { Input, JudgeRecord } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { batches, draftDocs } from './doc-batches.js'
import { openMediaIntake } from './media/media-intake.js'
import { prepareTask } from './prepare-task.js'
import type { Prompting } from './prompting.js'
import { computeDocRange, type Selection } from './selection/selection.js'
import type { Task } from './tasks/task.js'

/** A doc as it would be requested and judged now. */
export interface ReadRecord {
  readonly index: number
  /** Unique within the task. */
  readonly id: string
  /** One input a choice, in order; empty where no request could be made. */
  readonly inputs: readonly Input[]
  readonly record: JudgeRecord
}

/**
 * Yields the docs as the task renders them now, without committing them, for rescoring after targets have changed.
 */
export async function* readRecords(options: {
  readonly store: Store
  readonly task: Task
  readonly selection: Selection
  readonly prompting?: Prompting
}): AsyncGenerator<ReadRecord> {
  const { store, task } = options
  const prepared = await prepareTask(task, options.prompting)
  const media = openMediaIntake(store.media, prepared.dataset.media, store.values)
  for await (const batch of batches(prepared, await computeDocRange(options.selection, prepared, task.name)))
    for (const { index, id, record, requests } of await draftDocs(batch, {
      task,
      media,
      generation: task.generation,
    })) {
      const inputs = requests.flatMap(request => ('input' in request && request.sample === 0 ? [request.input] : []))
      yield { index, id, inputs, record }
    }
}
