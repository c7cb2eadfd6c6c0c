import { PipelineError } from '../../../base/errors/errors.js'
import { pathText, schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { parseArguments } from '../../config/argument-string.js'
import { configSchema, expectationAt } from '../../config/file/config-schema.js'
import { ofClient } from '../client-wording.js'
import { checkPaths } from './job-paths.js'
import { formatClientValue, type CheckedJob, type JobPolicy, type Surroundings } from './job-policy.js'
import { argumentKeys, secretProblems } from './job-secrets.js'
import { toolProblems } from './job-tools.js'
import { checkArguments, unknownModels } from './model-arguments.js'
import { refusedKeys } from './refused-keys.js'
import { textProblems } from './plain-texts.js'

type Mapping = Readonly<Record<string, unknown>>

/** The accepted job, or the problems of its request. */
export type JobCheck =
  | { readonly isAllowed: false; readonly problems: readonly string[] }
  /** The job in its stored form: keys of a configuration file, arguments as mappings, absolute paths, secrets by name. */
  | { readonly isAllowed: true; readonly request: Mapping }

/**
 * Checks the files, addresses, secrets and programs that a submitted job names. Only what the policy lists is allowed.
 *
 * @param request the keys of a configuration file
 * @param surroundings the environment of the process that will run the job
 * @returns the job in its stored form, or all problems. A problem names the key, the value and the server's flag that would allow the value
 */
export async function checkJob(request: Mapping, policy: JobPolicy, surroundings: Surroundings): Promise<JobCheck> {
  // The following checks rely on names and texts that are safe to look up and to print.
  const unfit = textProblems(request)
  if (unfit.length > 0) return refuseJob(unfit)
  const { job, problems: unread } = withMappings(withoutNulls(request))
  if (unread.length > 0) return refuseJob(unread)
  const wrong = [...shapeProblems(job), ...secretProblems(job, policy)]
  if (wrong.length > 0) return refuseJob([...wrong, ...(await unknownModels(job))])
  const tools = await toolProblems(job, policy, surroundings)
  const paths = await checkPaths(job, policy, surroundings)
  const models = await checkModels(paths.job, policy, surroundings)
  const problems = [...tools, ...paths.problems, ...systemProblem(job['system_instruction']), ...models.problems]
  return problems.length > 0 ? refuseJob(problems) : { isAllowed: true, request: models.job }
}

const refuseJob = (problems: readonly string[]): JobCheck => ({ isAllowed: false, problems: [...new Set(problems)] })

const withoutNulls = (request: Mapping): Mapping =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null))

/** Parses arguments in the form of one text, so that each can be checked. */
function withMappings(request: Mapping): CheckedJob {
  const problems: string[] = []
  const entries = Object.entries(request).map(([key, value]) => {
    if (typeof value !== 'string' || !['gen_kwargs', ...argumentKeys].includes(key)) return [key, value] as const
    try {
      return [key, parseArguments([value], key)] as const
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      // The error may quote the text, which may hold a secret.
      problems.push(`${key}: the text is not read as arguments; give a mapping of names to values`)
      return [key, {}] as const
    }
  })
  const job: Mapping = Object.fromEntries(entries)
  // Names inside a text are checked here for the first time.
  return { job, problems: [...problems, ...textProblems(job)] }
}

function shapeProblems(job: Mapping): readonly string[] {
  const refusals = Object.entries(refusedKeys).flatMap(([key, why]) =>
    Object.hasOwn(job, key) ? [`${key}: ${why}`] : [],
  )
  const issues = schemaMistakes(configSchema.safeParse(job).error?.issues ?? [], job, {
    ...ofClient,
    unknown: 'there is no such key',
    known: Object.keys(configSchema.shape),
    expected: expectationAt,
  }).flatMap(({ path, text, isUnknownKey }) =>
    Object.hasOwn(refusedKeys, path[0] ?? '')
      ? []
      : [`${isUnknownKey ? formatClientValue(pathText(path)) : pathText(path)}: ${text}`],
  )
  const missing = ['model', 'tasks'].flatMap(key => (Object.hasOwn(job, key) ? [] : [`${key}: a job must name it`]))
  return [...refusals, ...issues, ...missing]
}

const modelKeys = [
  { model: 'model', args: 'model_args' },
  { model: 'judge_model', args: 'judge_args' },
] as const

/** Separates the tool server from the model arguments, where lmms-eval has it. It is checked with the other tool servers. */
function withoutServer(key: string, mapping: Mapping): { readonly apart: Mapping; readonly args: Mapping } {
  const { mcp_server_path: server, ...args } = mapping
  return key !== 'model_args' || server === undefined
    ? { apart: {}, args: mapping }
    : { apart: { mcp_server_path: server }, args }
}

async function checkModels(job: Mapping, policy: JobPolicy, surroundings: Surroundings): Promise<CheckedJob> {
  const hasPlugins = job['plugin'] !== undefined
  const problems: string[] = []
  const checked = new Map(Object.entries(job))
  for (const keys of modelKeys) {
    const [name, modelArgs = {}] = [job[keys.model], job[keys.args]]
    if (typeof name === 'string' && isObject(modelArgs)) {
      const { apart, args } = withoutServer(keys.args, modelArgs)
      const outcome = await checkArguments({ keys, name, args, hasPlugins }, policy, surroundings)
      problems.push(...outcome.problems)
      if (job[keys.args] !== undefined) checked.set(keys.args, { ...outcome.args, ...apart })
    } else if (job[keys.args] !== undefined) problems.push(`${keys.args}: also give ${keys.model}`)
  }
  return { problems, job: Object.fromEntries(checked) }
}

/**
 * Rejects a system instruction that is written like a path. The command line accepts a text or a file, a job only a text. The check does not look for
 * the file, so that it does not reveal whether the file exists.
 */
function systemProblem(text: unknown): readonly string[] {
  if (typeof text !== 'string' || !isWrittenAsPath(text)) return []
  return [`system_instruction: ${formatClientValue(text)} is written like a path; a job gives the text itself`]
}

/** Written like a path on one line: `/a b`, `~/a`, `./a`, `a/../b`, and without white space `a/b` and `a.txt`. */
const isWrittenAsPath = (text: string): boolean =>
  !text.includes('\n') &&
  (/^([/~\\]|\.\.?([\\/]|$)|[a-z]:[\\/])|(^|[\\/])\.\.([\\/]|$)/i.test(text) ||
    // Two patterns, because the time of one for both would grow with the square of the length.
    (!/\s/.test(text) && /[\\/]|\.\w/.test(text)))
