/** The judge models that tasks name in their own files, such as the speech recogniser of a metric. */
import { resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { schemaMistakes } from '../../base/errors/schema-mistakes.js'
import { secretPaths } from '../../base/text/secrets.js'
import { wildcard } from '../../base/text/wildcard.js'
import type { StoredScoring } from '../../cache/records.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { listEntryJudges, type NamedByEntry } from '../../stages/judge/compile/judges-of.js'
import { fromLmms } from '../../stages/model/lmms-arguments.js'
import { parseModelArgs } from '../../stages/model/model-args.js'
import { findBackend } from '../../stages/model/registry.js'
import type { JudgeSettings } from '../config/settings.js'
import { judgeList, type JudgeChoice, type JudgeChoices } from '../config/values/judge-choices.js'

/** A task, or a run's stored rules of a task without files. */
type JudgedTask = Pick<Task, 'name'> & Partial<Pick<Task, 'folder' | 'at'>> & { readonly scoring: StoredScoring }

/**
 * Adds the judges of the tasks' `metric_list` entries to the settings. The settings win, except for the default judge.
 *
 * @throws PipelineError (config) with the position of each entry whose judge is invalid or contains a secret
 */
export function addTaskJudges<Settings extends JudgeSettings>(
  settings: Settings,
  tasks: readonly JudgedTask[],
): Settings {
  const { judgeFor = {} } = settings
  const patterns = Object.keys(judgeFor).map(wildcard)
  const problems: string[] = []
  const judgeEntries = tasks.flatMap(task =>
    listEntryJudges(task.scoring).flatMap((entry): [string, readonly JudgeChoice[]][] => {
      const name = `${task.name}.${entry.metric}`
      if (patterns.some(pattern => pattern.test(task.name) || pattern.test(name))) return []
      try {
        return [[name, readJudges(task, entry)]]
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error
        problems.push(...error.said)
        return []
      }
    }),
  )
  if (problems.length > 0) throw new PipelineError('config', problems)
  const own: JudgeChoices = Object.fromEntries(judgeEntries)
  return judgeEntries.length === 0 ? settings : { ...settings, judgeFor: { ...own, ...judgeFor } }
}

/**
 * Checks the judges that entries of a task name: how they are written, their backends and arguments. Nothing is opened.
 *
 * @throws PipelineError (config) with the place of each mistake
 */
export async function checkTaskJudges(task: JudgedTask, plugins: Parameters<typeof findBackend>[1]): Promise<void> {
  const { judgeFor = {} } = addTaskJudges<JudgeSettings>({}, [task])
  for (const [metric, choices] of Object.entries(judgeFor))
    for (const { model, args } of choices)
      try {
        const backend = await findBackend(model, plugins)
        parseModelArgs(backend, fromLmms(backend, args).args)
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error
        const place = task.at?.(['metric_list']) ?? `task ${task.name}`
        throw new PipelineError(
          'config',
          error.said.map(text => `${place}  judge of ${metric}: ${text}`),
          { cause: error },
        )
      }
}

function readJudges({ name, folder, at }: JudgedTask, { judge, index, metric }: NamedByEntry): readonly JudgeChoice[] {
  const place = at?.(['metric_list', index, 'judge']) ?? `task ${name}, metric ${metric}`
  const read = judgeList.safeParse(judge, { reportInput: true })
  if (!read.success)
    throw new PipelineError(
      'config',
      schemaMistakes(read.error.issues, judge).map(({ text }) => `${place}: judge: ${text}`),
    )
  const secrets = read.data.flatMap(({ args }) => secretPaths(args, 'judge'))
  if (secrets.length > 0)
    throw new PipelineError(
      'config',
      `${place}: ${secrets.join(', ')} is a secret, and a task's file is stored with its runs: set the variable of the backend, or name the judge with ${option('judgeFor')}`,
    )
  return folder === undefined ? read.data : read.data.map(choice => withAbsolutePaths(choice, folder))
}

/** Resolves relative paths in a judge's arguments from the task's folder. */
const withAbsolutePaths = ({ model, args }: JudgeChoice, folder: string): JudgeChoice => ({
  model,
  args: Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\.\.?([\\/]|$)/.test(value) ? resolve(folder, value) : value,
    ]),
  ),
})
