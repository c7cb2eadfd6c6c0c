/** Functions that score answers: those of stored runs, and those that were made elsewhere. */
import { present } from '../../../base/values/present.js'
import type { TaskValue } from '../../../stages/input/tasks/task-value.js'
import { limitOptions } from '../../config/limits.js'
import { programSettings } from '../../config/option.js'
import { pythonOptions } from '../../config/options/subject-options.js'
import { processEnvironment } from '../../config/variables.js'
import { judgeAnswers as judgeAnswersAt } from '../../rescoring/judge-answers.js'
import { rejudge } from '../../rescoring/rejudge.js'
import { makeHooks, refuseWhileLoading, type Following } from '../library.js'
import type { EvaluateOptions } from '../options/evaluate-options.js'
import { resolveStoreDir } from '../stores.js'
import { valueSettings } from '../values/value-settings.js'
import { readRunName, type RunOrName } from '../options/run-or-name.js'
import { evaluateFields, taskValues } from '../options/evaluate-fields.js'
import { checkOptions, fields, followingFields, pickFields, type OptionFields } from '../options/check-options.js'
import { evaluatedRun, type EvaluatedRun } from './results.js'
import { findGivenStore, type StoreOption } from './runs.js'

type Tasks = readonly (string | TaskValue)[]

/** Sets how stored answers are scored. */
export interface JudgeOptions<Given extends Tasks = Tasks>
  extends
    StoreOption,
    Following,
    Pick<
      EvaluateOptions,
      'judge' | 'judgeModel' | 'judgeArgs' | 'judgeFor' | 'judgeOverride' | 'parity' | 'includePaths' | 'plugins'
    >,
    Pick<EvaluateOptions, 'python' | 'allowNetwork' | 'pythonSeconds' | 'pythonMemoryMb'>,
    Pick<EvaluateOptions, 'maxRequests' | 'maxTokensTotal' | 'maxCost' | 'maxTime' | 'failFast' | 'prices'> {
  /** Tasks whose rules score the answers. Other tasks are scored by their files, or else by the rules stored with the run. */
  readonly tasks?: Given
  /** True if code from a bundle may run. */
  readonly trustBundle?: boolean
}

/** The schemas of {@link JudgeOptions}. */
export const judgeFields = {
  ...followingFields,
  ...pickFields(
    evaluateFields,
    ...(['store', 'judge', 'judgeModel', 'judgeArgs', 'judgeFor', 'judgeOverride', 'parity'] as const),
    ...(['includePaths', 'plugins', 'python', 'allowNetwork', 'pythonSeconds', 'pythonMemoryMb'] as const),
    ...(['maxRequests', 'maxTokensTotal', 'maxCost', 'maxTime', 'failFast', 'prices'] as const),
  ),
  tasks: taskValues,
  trustBundle: fields.flag,
} satisfies OptionFields<JudgeOptions>

/**
 * Scores the answers of a run or bundle with the current rules. No request is sent, except to a judge model if the scoring needs one.
 *
 * @throws PipelineError if there is no such run, or rules cannot be read
 */
export async function judge<const Given extends Tasks>(
  run: RunOrName,
  options: JudgeOptions<Given> = {},
): Promise<EvaluatedRun<Given>> {
  refuseWhileLoading('judge')
  checkOptions(options, judgeFields)
  const store = resolveStoreDir(await findGivenStore(run, options))
  const { trustBundle = false } = options
  const settings = { ...(await makeJudgeSettings(options, store)), run: readRunName(run), trustBundle }
  return evaluatedRun(await rejudge(settings, makeHooks(options)), { dir: store })
}

/** Options to score answers that were made elsewhere. */
export interface JudgeAnswersOptions<Given extends Tasks = Tasks> extends Omit<JudgeOptions<Given>, 'trustBundle'> {
  /** The tasks that the answers belong to. */
  readonly tasks: Given
  /** The column with the names of docs. @default doc_id, id, question_id or index */
  readonly idColumn?: string
  /** The column with the answers. @default answer, response, output, prediction, completion or text */
  readonly answerColumn?: string
  /** The first docs of each task, or a share of them; by task, with `*` for the others. @default all docs */
  readonly limit?: number | Readonly<Record<string, number>>
  /** The only docs to score: ids and shell patterns, `TASK/ID` for those of one task. @default all docs */
  readonly docs?: readonly string[]
  /** The model that made the answers. @default the file's name */
  readonly modelName?: string
}

const answersFields = {
  ...judgeFields,
  ...pickFields(evaluateFields, 'limit', 'docs'),
  tasks: evaluateFields.tasks,
  idColumn: fields.text,
  answerColumn: fields.text,
  modelName: fields.text,
}

/**
 * Stores answers that were made elsewhere as a run, and scores it. Each row of the JSONL file names a doc and its answer; several rows of
 * a doc are its repeats. Docs without an answer are in `failures`.
 *
 * @throws PipelineError if the file, a task or an id is wrong
 */
export async function judgeAnswers<const Given extends Tasks>(
  answers: string,
  options: JudgeAnswersOptions<Given>,
): Promise<EvaluatedRun<Given>> {
  refuseWhileLoading('judgeAnswers')
  checkOptions(options, answersFields)
  const store = resolveStoreDir(await options.store)
  const { idColumn, answerColumn, modelName, limit, docs } = options
  const outcome = await judgeAnswersAt(
    {
      ...(await makeJudgeSettings(options, store)),
      answers,
      columns: present({ id: idColumn, answer: answerColumn }),
      ...present({ modelName }),
      selection: present({ limit, docs }),
    },
    makeHooks(options),
  )
  return evaluatedRun(outcome, { dir: store })
}

async function makeJudgeSettings(options: JudgeOptions, store: string) {
  const { tasks: ownTasks = [], includePaths = [], plugins = [], judgeOverride, parity } = options
  const { judgeModel, judgeArgs, judgeFor, tasks, values } = await valueSettings({
    ...options,
    model: '',
    tasks: ownTasks,
  })
  return {
    ...present({ judgeModel, judgeArgs, judgeFor, judgeOverride, parity, values }),
    ...programSettings({ ...limitOptions, ...pythonOptions }, options),
    env: processEnvironment(),
    tasks,
    store,
    includePaths,
    plugins,
  }
}

/**
 * Scores a run again with the current tasks. It sends no request and opens no model; replies of a judge model come from the store.
 *
 * @throws PipelineError as {@link judge} does
 */
export const rescore = <const Given extends Tasks>(
  run: RunOrName,
  options: Omit<JudgeOptions<Given>, 'maxRequests'> = {},
): Promise<EvaluatedRun<Given>> => judge(run, { ...options, maxRequests: 0 })
