/** The judge model that the environment variables of lmms-eval name, for its tasks in Python. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { StoredScoring } from '../../cache/records.js'
import { present } from '../../base/values/present.js'
import type { Environment, Hooks, JudgeSettings } from '../config/settings.js'
import { variable, type VariableName } from '../config/variables.js'

/** The variables that name the judge, in order of precedence. Tasks of lmms-eval read different ones. */
const modelVariables = ['MODEL_VERSION', 'GPT_EVAL_MODEL_NAME', 'JUDGE_MODEL_VERSION', 'JUDGE_MODEL_NAME'] as const

/** The backends of lmms-eval's `API_TYPE`. */
const backends: Readonly<Record<string, string>> = {
  openai: 'openai',
  async_openai: 'openai',
  local: 'openai',
  azure: 'azure_openai',
  async_azure: 'azure_openai',
}

const addressVariables: Readonly<Record<string, readonly VariableName[]>> = {
  openai: ['OPENAI_API_URL', 'JUDGE_BASE_URL', 'LLM_JUDGE_URL'],
  azure_openai: ['AZURE_ENDPOINT'],
}

const keyVariables: Readonly<Record<string, readonly VariableName[]>> = {
  openai: ['JUDGE_API_KEY'],
  azure_openai: ['AZURE_API_KEY'],
}

/**
 * Days on which models that tasks of lmms-eval name were shut down.
 *
 * Source: https://platform.openai.com/docs/deprecations
 */
const retired: Readonly<Record<string, string>> = {
  'gpt-3.5-turbo-0301': '2024-09-13',
  'gpt-3.5-turbo-0613': '2024-09-13',
  'gpt-3.5-turbo-16k-0613': '2024-09-13',
  'gpt-4-vision-preview': '2024-12-06',
  'gpt-4-1106-vision-preview': '2024-12-06',
  'gpt-4-32k': '2025-06-06',
  'gpt-4-32k-0613': '2025-06-06',
  'gpt-4-32k-0314': '2025-06-06',
  'gpt-4.5-preview': '2025-07-14',
}

/** Tells whether functions in Python score the task. */
const isPython = ({ code = {} }: StoredScoring): boolean => Object.values(code).some(source => 'python' in source)

/** Returns whether the environment names a judge, which counts only where the settings name none. */
export const namesJudge = ({ judgeModel }: JudgeSettings, env: Environment): boolean =>
  judgeModel === undefined && modelVariables.some(name => variable(env, name) !== undefined)

/**
 * Adds the judge that the environment names, with a note, if the settings name none and a task has Python scoring functions.
 *
 * @throws PipelineError if `API_TYPE` is unknown
 */
export function addVariableJudge<Settings extends JudgeSettings>(
  settings: Settings,
  {
    env,
    scorings,
    emit,
  }: { readonly env: Environment; readonly scorings: readonly StoredScoring[]; readonly emit: Hooks['emit'] },
): Settings {
  const modelVariable = modelVariables.find(name => variable(env, name) !== undefined)
  if (modelVariable === undefined || settings.judgeModel !== undefined || !scorings.some(isPython)) return settings
  const type = variable(env, 'API_TYPE')?.toLowerCase() ?? 'openai'
  const backend = backends[type]
  if (backend === undefined)
    throw new PipelineError(
      'usage',
      `API_TYPE is ${type}, whose judge the variables of lmms-eval cannot name here. Name the judge with ${option('judgeModel', 'NAME')}, or unset ${modelVariable}`,
    )
  const read = (names: readonly VariableName[] = []): string | undefined =>
    names.map(name => variable(env, name)).find(value => value !== undefined)
  const model = variable(env, modelVariable)
  const judgeArgs = {
    ...present({ model, base_url: read(addressVariables[backend]), api_key: read(keyVariables[backend]) }),
    ...settings.judgeArgs,
  }
  emit({
    type: 'note',
    text: `the judge is ${backend} ${model ?? ''}, which ${modelVariable} names. ${option('judgeModel')} names another one`,
  })
  return { ...settings, judgeModel: backend, judgeArgs }
}

/** A note about a judge model that its provider has shut down; undefined for any other, and for servers of one's own. */
export function describeRetired({ judgeModel, judgeArgs = {} }: JudgeSettings): string | undefined {
  const { model, base_url: address } = judgeArgs
  const day = typeof model === 'string' && judgeModel === 'openai' ? retired[model] : undefined
  if (day === undefined || address !== undefined) return undefined
  return `the judge model ${String(model)} was shut down on ${day}. Only its stored replies count; nothing replaces it. Replace it with ${option('judgeOverride', `${String(model)}=NEW`)}, or name another judge with ${option('judgeModel')} and ${option('judgeArgs', { model: '…' })}`
}
