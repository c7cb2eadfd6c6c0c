import { z } from 'zod'
import { writeTaskFromRun as writeTask, type TaskFromRun } from '../../authoring/task-from-run.js'
import { chooseSamples } from '../../reading/samples/choose-samples.js'
import type { SampleKind } from '../../reading/samples/sample-kinds.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { readRunName, type RunOrName } from '../options/run-or-name.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import { withReadStore, type StoreOption } from './runs.js'

/** Options of {@link writeTaskFromRun}. */
export interface TaskFromRunOptions extends StoreOption {
  /** The name of the folder and its task. */
  readonly name: string
  /** The docs: a kind, an id or pattern, or a `.txt` file with one a line. @default 'all' */
  readonly samples?: SampleKind | (string & {})
  /** The run that `flipped`, `improved` and `worsened` compare with. */
  readonly against?: string
  /** The folder in which the task's folder is made. @default the working folder */
  readonly dir?: string
}

const taskFields = {
  ...storeField,
  name: z.string().describe('the name of the new task'),
  samples: fields.text,
  against: fields.text,
  dir: fields.text,
} satisfies OptionFields<TaskFromRunOptions>

/**
 * Writes docs of a run, such as those with wrong answers, as a task with the prompts that the run sent, targets, media and rules. The task needs
 * neither the run's dataset nor its store.
 *
 * @example await writeTaskFromRun('last', { name: 'hard', samples: 'wrong' })
 * @throws PipelineError (usage) if no doc matches, or the folder exists already
 */
export async function writeTaskFromRun(run: RunOrName, options: TaskFromRunOptions): Promise<TaskFromRun> {
  checkOptions(options, taskFields)
  const { name, samples = 'all', against, dir = '.' } = options
  return withReadStore(run, options, async store => {
    const opened = await openRun(store, readRunName(run))
    const compared = against === undefined ? undefined : await openRun(store, against)
    const chosen = await chooseSamples(store, opened, { samples, against: compared })
    return writeTask(name, { dir, opened, samples: chosen, media: store.media })
  })
}
