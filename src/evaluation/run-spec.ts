import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { buildInfo } from '../../cache/code/build-info.js'
import type { GenerationKwargs, RunProvenance, RunSelection, RunSpec, StoredScoring } from '../../cache/records.js'
import type { PromptForm } from '../../stages/input/prompting.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { writtenSelection } from '../config/values/selection.js'
import { storedConfig } from '../config/stored/stored-settings.js'
import { systemInstruction } from '../config/values/system-instruction.js'
import type { ModelPlan } from '../model/model-plan.js'
import type { EvalSettings } from '../config/settings.js'

/** Code keys of request types that do not use the backend's default code. */
export function keysByType(codes: ModelPlan['codes']): Pick<RunSpec, 'codes'> {
  const keys = Object.entries(codes).map(([type, { key }]) => [type, key] as const)
  return keys.length === 0 ? {} : { codes: Object.fromEntries(keys) }
}

/** The form of prompts: the backend's, or `simple` with `forceSimple`. */
export function chooseForm(
  { forceSimple, fewshotAsMultiturn }: EvalSettings,
  { backend: { form = 'chat', id } }: ModelPlan,
): PromptForm {
  if (form === 'text' && fewshotAsMultiturn === true)
    throw new PipelineError(
      'usage',
      `${option('fewshotAsMultiturn')}: model ${id} is asked with one text, which has no turns. Leave it out, or ask a chat model.`,
    )
  return form === 'chat' && forceSimple === true ? 'simple' : form
}

/** The system instruction from the model's arguments, unless the command gives one. */
export function chooseSystem(
  { systemInstruction: instruction }: EvalSettings,
  { systemPrompt }: ModelPlan,
): Pick<EvalSettings, 'systemInstruction'> {
  if (instruction !== undefined || systemPrompt === undefined) return {}
  return { systemInstruction: systemInstruction(systemPrompt) }
}

/** The selection and prompt settings as part of the run spec. */
export function makeRunSelection(
  settings: EvalSettings,
  {
    form,
    generation,
    showsTarget = false,
  }: { readonly form: PromptForm; readonly generation: GenerationKwargs; readonly showsTarget?: boolean },
): RunSelection {
  const { numFewshot, fewshotSeed, fewshotAsMultiturn, systemInstruction: system, repeats } = settings
  return {
    ...writtenSelection(settings),
    ...(Object.keys(generation).length === 0 ? {} : { generation }),
    ...(form === 'chat' ? {} : { prompt_form: form }),
    ...(showsTarget ? { shows_target: true } : {}),
    ...(numFewshot === undefined ? {} : { num_fewshot: numFewshot }),
    ...(fewshotSeed === undefined ? {} : { fewshot_seed: fewshotSeed }),
    ...(fewshotAsMultiturn === true ? { fewshot_as_multiturn: true } : {}),
    ...(system === undefined ? {} : { system_instruction: system }),
    ...(repeats === undefined ? {} : { repeats }),
  }
}

/** Makes the provenance of a run: program, settings and scoring rules. It is stored beside the spec. */
export function makeProvenance(
  settings: EvalSettings,
  by: {
    readonly tasks: readonly Task[]
    readonly scorings: readonly StoredScoring[]
    readonly models: Parameters<typeof storedConfig>[2]
  },
): RunProvenance {
  const { tasks, scorings, models } = by
  const { version, commit, dirty } = buildInfo()
  return {
    version,
    ...(commit === undefined ? {} : { commit }),
    ...(dirty === undefined ? {} : { dirty }),
    node: process.version,
    config: storedConfig(settings, settings.toolFolder ?? process.cwd(), models),
    scoring: Object.fromEntries(tasks.flatMap(({ name }, index) => (scorings[index] ? [[name, scorings[index]]] : []))),
    ...collectAliases(tasks),
  }
}

function collectAliases(tasks: readonly Task[]): Pick<RunProvenance, 'aliases'> {
  const aliases = tasks.flatMap(({ name, config: { task_alias: alias } }) =>
    alias === undefined || alias === name ? [] : [[name, alias] as const],
  )
  return aliases.length === 0 ? {} : { aliases: Object.fromEntries(aliases) }
}
