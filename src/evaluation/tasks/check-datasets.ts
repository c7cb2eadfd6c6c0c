import type { RunProvenance } from '../../../cache/records.js'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import { refuseUnknownDocs } from '../../../stages/input/selection/named-docs.js'
import { computeDocRange, listDocs, refuseEmptySelection } from '../../../stages/input/selection/selection.js'
import { awaitAll } from '../../all-of.js'
import type { EvalSettings } from '../../config/settings.js'
import { refuseModalities } from '../../model/modalities.js'
import type { Plan } from '../plan.js'

/**
 * Checks the datasets, and counts the selected docs of each task if the run has a stop condition.
 *
 * @throws PipelineError if a dataset does not fit its task, a selection is empty, or the model does not accept the media.
 */
export async function checkDatasets(plan: Plan, settings: EvalSettings): Promise<RunProvenance['population']> {
  const tasks = await prepareTasks(plan)
  if (settings.docs !== undefined)
    await refuseUnknownDocs(
      settings.docs,
      tasks.map(({ prepared }) => prepared),
    )
  const counts = await awaitAll(
    tasks.map(async ({ task, prepared }) => {
      await refuseEmptySelection(task.name, settings, prepared)
      await refuseModalities(plan.model, task, { prepared, selection: settings })
      return settings.stopWhen === undefined
        ? []
        : [[task.name, (await listDocs(settings, prepared, task.name)).length]]
    }),
  )
  return settings.stopWhen && (Object.fromEntries(counts.flat()) as RunProvenance['population'])
}

const prepareTasks = (plan: Plan) =>
  awaitAll(plan.tasks.map(async task => ({ task, prepared: await prepareTask(task, plan.prompting) })))

/** @throws PipelineError (usage) if `--docs` names a doc that the run does not have */
export async function refuseOtherDocs(plan: Plan, docs: readonly string[], selection: EvalSettings): Promise<void> {
  const tasks = await awaitAll(
    (await prepareTasks(plan)).map(async ({ task, prepared }) => ({
      ...prepared,
      range: await computeDocRange(selection, prepared, task.name),
    })),
  )
  await refuseUnknownDocs(docs, tasks, { isPart: true })
}
