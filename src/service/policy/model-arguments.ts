/** Checks the arguments of a model or judge by what their declarations name (`affectsOutput(schema, { names })`). */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { without } from '../../../base/values/without.js'
import { namedBy, type ModelArgs, type NamedThing } from '../../../stages/model/backend-args.js'
import type { AnyBackend } from '../../../stages/model/define-backend.js'
import { fromLmms } from '../../../stages/model/lmms-arguments.js'
import { parseModelArgs } from '../../../stages/model/model-args.js'
import { findBackend } from '../../../stages/model/registry.js'
import { addWorkerArguments, listChanging } from '../../../stages/model/worker-arguments.js'
import { addressProblem } from './allowed-address.js'
import { allowedPath } from './allowed-path.js'
import { commandProblems } from './commands.js'
import { foreignArguments } from './foreign-arguments.js'
import { formatClientValue, type CheckedArguments, type JobPolicy, type Surroundings } from './job-policy.js'
import { isPlainLine } from './plain-texts.js'

type Arguments = Readonly<Record<string, unknown>>

/** The model and the arguments that a job names. */
export interface GivenModel {
  /** The keys of the configuration, for messages. */
  readonly keys: { readonly model: string; readonly args: string }
  readonly name: string
  readonly args: Arguments
  /** True if the job names plugins, which may contain the backend. */
  readonly hasPlugins: boolean
}

/** Arguments that may have several lines, because they are content of requests. */
const longArguments: ReadonlySet<string> = new Set([
  'extra_body',
  'options',
  'text',
  'words',
  'prefix_text',
  'chat_template',
])

/** Arguments that some backends put into the path of an address. */
const pathParts: ReadonlySet<string> = new Set(['model', 'deployment', 'model_version', 'revision'])

/** Checks the arguments of a backend. Built-in backends declare their arguments. For a plugin's backend, the form of a value decides. */
export async function checkArguments(
  model: GivenModel,
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<CheckedArguments> {
  const { keys, name, args } = model
  const refuseArguments = (problems: readonly string[]): CheckedArguments => ({ problems, args })
  const backend = await findBackend(name, []).catch(mistakes)
  if ('mistakes' in backend)
    return model.hasPlugins
      ? checkForeign(model, policy, surroundings)
      : refuseArguments(backend.mistakes.map(mistake => `${keys.model}: ${mistake}`))
  // The program reads this argument as a text or as the file that it names.
  if (Object.hasOwn(args, 'system_prompt') && !Object.hasOwn(backend.args, 'system_prompt'))
    return refuseArguments([`${keys.args}.system_prompt: a job gives this text as system_instruction`])
  const parsed = parsedArguments(backend, args, listWorkerArgs(model, surroundings))
  if ('mistakes' in parsed) return refuseArguments(parsed.mistakes.map(mistake => `${keys.args}: ${mistake}`))
  return checkDeclared(backend, parsed, { given: model, policy, surroundings })
}

/** The arguments of the worker are those of its model, and not of judges. */
const listWorkerArgs = ({ keys }: GivenModel, { workerArgs = {} }: Surroundings): Arguments =>
  keys.args === 'model_args' ? workerArgs : {}

async function checkForeign(
  model: GivenModel,
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<CheckedArguments> {
  const { keys, args } = model
  const replaced = Object.keys(listWorkerArgs(model, surroundings)).filter(name => Object.hasOwn(args, name))
  const checked = await foreignArguments(keys.args, without(args, ...replaced), policy, surroundings)
  return { ...checked, args: { ...args, ...checked.args } }
}

/** Finds models and judges of a job that no backend has. A job with plugins may have backends of its own. */
export async function unknownModels(job: Arguments): Promise<readonly string[]> {
  if (job['plugin'] !== undefined) return []
  const problems: string[] = []
  for (const key of ['model', 'judge_model']) {
    const name = job[key]
    if (typeof name !== 'string' || !isPlainLine(name)) continue
    const backend = await findBackend(name, []).catch(mistakes)
    if ('mistakes' in backend) problems.push(...backend.mistakes.map(mistake => `${key}: ${mistake}`))
  }
  return problems
}

interface Context {
  readonly given: GivenModel
  readonly policy: JobPolicy
  readonly surroundings: Surroundings
}

async function checkDeclared(
  backend: AnyBackend,
  parsed: ParsedArguments,
  context: Context,
): Promise<CheckedArguments> {
  const { given, policy, surroundings } = context
  const { keys, name: model } = given
  const isStarted = backend.startsProgram?.(parsed.sending, { env: surroundings.env })
  const problems = listChanging(backend, parsed.own, parsed).map(
    name =>
      `${keys.args}.${name}: the --model-args of this worker would change the answers of the job; they only say where requests go, such as base_url, and how`,
  )
  if (isStarted === true && !policy.allowCommands)
    problems.push(
      `${keys.model}: ${formatClientValue(model)} would start a program on this server, which needs --allow-commands; give ${keys.args}.base_url of a running one`,
    )
  let { args } = given
  for (const [name, schema] of Object.entries(backend.args)) {
    const key = `${keys.args}.${name}`
    const thing = namedBy(schema)
    // What the worker replaces is not used.
    if (parsed.own.includes(name)) continue
    const texts = listTexts(parsed.identifying[name])
    problems.push(...unfitTexts(key, name, texts, thing))
    for (const text of thing === undefined ? [] : texts) {
      if (thing === 'address') problems.push(...[addressProblem(key, text, policy) ?? []].flat())
      else if (thing === 'command') problems.push(...(await commandProblems(key, text, policy, surroundings)))
      else if (thing === 'path' || (isStarted !== false && isPathHere(text, surroundings))) {
        const checked = await allowedPath(key, text, policy, surroundings)
        if ('problem' in checked) problems.push(checked.problem)
        else args = withPath(args, name, { text, path: checked.path, known: backend.args })
      }
    }
  }
  return { problems, args }
}

/** Tells whether a text is a path rather than a name: it is written like a path, or such a file exists. */
const isPathHere = (text: string, { cwd }: Surroundings): boolean =>
  /^[./~\\]|^[a-z]:\\|(^|[\\/])\.\.([\\/]|$)|\.gguf$/i.test(text) || existsSync(resolve(cwd, text))

/** Replaces an argument by the real path, also under lmms-eval's name of the argument (`pretrained` for `model`). */
function withPath(
  args: Arguments,
  name: string,
  { text, path, known }: { readonly text: string; readonly path: string; readonly known: Arguments },
): Arguments {
  const others = Object.entries(args).filter(
    ([other, value]) => other !== name && (value !== text || Object.hasOwn(known, other)),
  )
  return { ...Object.fromEntries(others), [name]: path }
}

function unfitTexts(
  key: string,
  name: string,
  texts: readonly string[],
  thing: NamedThing | undefined,
): readonly string[] {
  const acting = longArguments.has(name) || texts.every(isPlainLine) ? [] : [`${key}: the value has control characters`]
  const steps = thing !== undefined || !pathParts.has(name) ? [] : texts.filter(text => text.split('/').includes('..'))
  return [
    ...acting,
    ...steps.map(text => `${key}: ${formatClientValue(text)} has a step to an outer folder, and is no name`),
  ]
}

const listTexts = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(entry => typeof entry === 'string') : []

interface ParsedArguments {
  readonly identifying: ModelArgs
  readonly sending: ModelArgs
  /** The names of arguments that the worker gives. */
  readonly own: readonly string[]
}

/** The arguments as the backend gets them: lmms-eval's names translated, texts converted, defaults filled in. */
function parsedArguments(
  backend: AnyBackend,
  args: Arguments,
  workerArgs: Arguments,
): ParsedArguments | { readonly mistakes: readonly string[] } {
  try {
    const { identifying, sending, own } = addWorkerArguments(backend, fromLmms(backend, args).args, workerArgs)
    return { identifying: parseModelArgs(backend, identifying), sending: parseModelArgs(backend, sending), own }
  } catch (error) {
    return mistakes(error)
  }
}

function mistakes(error: unknown): { readonly mistakes: readonly string[] } {
  if (error instanceof PipelineError) return { mistakes: error.said }
  throw error
}
