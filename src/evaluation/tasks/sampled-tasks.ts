import type { Run } from '../../../cache/records.js'
import { isSampled } from '../../../cache/facts/sampled.js'
import type { Store } from '../../../cache/store.js'
import { RunDraws } from '../../../stages/input/draws.js'
import { isGenerated } from '../../../stages/input/generation-kwargs.js'
import { generationFor } from '../../../stages/input/generation.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import { readSelection } from '../../config/values/selection.js'
import type { Plan } from '../plan.js'

/** Returns whether the answers of a task are draws, so that docs with the same request need one each. */
export const isSampledTask = (
  task: Task,
  { model, generation, prompting }: Pick<Plan, 'model' | 'generation' | 'prompting'>,
): boolean =>
  isGenerated(task.config.output_type) &&
  (model.isSampling || isSampled({ ...generationFor(task, prompting), ...generation }, model.identity))

/** Numbers the draws of a run's sampled tasks. */
export const makeDraws = (
  run: Run,
  plan: Pick<Plan, 'tasks' | 'model' | 'generation' | 'prompting'>,
  store: Store,
): RunDraws =>
  new RunDraws({
    store,
    run,
    tasks: plan.tasks.flatMap((task, index) => (isSampledTask(task, plan) ? [index] : [])),
    isSharded: readSelection(run.asked.selection).shard !== undefined,
  })
