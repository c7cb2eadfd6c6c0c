/** The form that starts a run, and what its values mean. */
import { stringify } from 'yaml'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject, Run } from '../../../../cache/records.js'
import type { ArgumentDescription } from '../../../../stages/model/model-args.js'
import type { NewRunForm, NewRunPlan } from '../data/index.js'
import { commandLine } from './command-line.js'
import { argumentField, optionFields } from './option-fields.js'

export interface OfferedModel {
  readonly id: string
  readonly summary: string
  readonly args: readonly ArgumentDescription[]
}

/** @param from the run whose settings the form starts with */
export function newRunForm(models: readonly OfferedModel[], from?: Run): NewRunForm {
  return {
    fields: optionFields,
    models: models.map(({ id, summary, args }) => ({ id, summary, args: args.map(argumentField) })),
    config: from === undefined ? {} : readConfig(from),
  }
}

/** Reads a run's configuration without its working directory, which means nothing to the server. */
const readConfig = ({ provenance: { config } }: Run): JsonObject =>
  JSON.parse(JSON.stringify(without(config, 'cwd'))) as JsonObject

/**
 * Shows a form's values as a file, as a command, and as a job.
 *
 * @param problems sentences that begin with the key which they are about, such as `limit: expected …`
 */
export function newRunPlan(config: JsonObject, problems: readonly string[]): NewRunPlan {
  const job = withoutEmpty(config)
  return {
    yaml: Object.keys(job).length === 0 ? '' : stringify(job, { lineWidth: 120 }),
    command: commandLine(job),
    problems: problems.map(parseProblem),
    job,
  }
}

/** Fields that a person left empty are as if they were absent. */
export function withoutEmpty(config: JsonObject): JsonObject {
  const entries = Object.entries(config).map(
    ([key, value]) => [key, isObject(value) ? withoutEmpty(value) : value] as const,
  )
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

const keys: ReadonlySet<string> = new Set(['model', 'model_args', 'tasks', ...optionFields.map(({ name }) => name)])

function parseProblem(problem: string): NewRunPlan['problems'][number] {
  const [, key = '', path = '', message = problem] = /^(\w+)((?:\.\w+)*): (.*)$/s.exec(problem) ?? []
  if (!keys.has(key)) return { field: '', message: problem }
  if (key !== 'model_args') return { field: key, message }
  // Messages of backends name the argument in the text.
  const argument = path.slice(1) || (/argument "(\w+)/.exec(message)?.[1] ?? '')
  return { field: argument === '' ? key : `${key}.${argument}`, message }
}
