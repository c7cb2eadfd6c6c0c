import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Job } from '../../../cache/store.js'
import { configSchema } from '../../config/file/config-schema.js'
import { evalSettings } from '../../config/eval-settings.js'
import type { EvalSettings } from '../../config/settings.js'
import { clientProblems } from '../client-wording.js'
import { checkJob } from './check-job.js'
import type { JobPolicy, Surroundings } from './job-policy.js'
import { withSecrets } from './job-secrets.js'

/**
 * Makes the settings of a checked job, for the process that runs it. They contain the values of secrets, and must not be stored.
 *
 * @param request as checkJob returned it
 * @throws PipelineError if the server no longer has a named secret, or this version does not know a key
 */
export function jobSettings(
  request: Readonly<Record<string, unknown>>,
  policy: Pick<JobPolicy, 'secrets'>,
  { env }: Pick<Surroundings, 'env'>,
): EvalSettings {
  const parsed = configSchema.safeParse(withSecrets(request, policy))
  if (!parsed.success) {
    const keys = new Set(parsed.error.issues.map(({ path }) => String(path[0])))
    throw new PipelineError('config', `the job has values that this version does not know: ${[...keys].join(', ')}`)
  }
  // A job gives the text itself. On the command line, the same value could name a file.
  const { system_instruction: systemInstruction = '', ...config } = parsed.data
  const settings = evalSettings({}, config, env)
  return systemInstruction === '' ? settings : { ...settings, systemInstruction }
}

/** Options that a worker passes to the settings of each job. */
export interface JobHolder {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The worker's policy. The server has checked the job by its own policy, which may differ. */
  readonly policy: JobPolicy
  /** Model arguments that say where the requests of each job go, such as the address of this machine's engine. The worker's owner is trusted. */
  readonly modelArgs?: Readonly<Record<string, unknown>>
}

/**
 * Returns the reason why this worker must leave a job to others: something that its flags do not allow or its version does not know.
 *
 * @returns undefined if the worker can run the job
 */
export async function findRefusal({ request }: Pick<Job, 'request'>, holder: JobHolder): Promise<string | undefined> {
  // The code of a run that is only scored is checked at the scoring.
  if (request['model'] === undefined && request['analysis'] !== undefined) return undefined
  try {
    await workerSettings(request, holder)
    return undefined
  } catch (error) {
    if (error instanceof PipelineError) return clientProblems(error).join('\n')
    throw error
  }
}

/**
 * Checks a stored job by the policy of a worker, and makes its settings.
 *
 * @throws PipelineError (usage) that names what the worker does not allow
 */
export async function workerSettings(
  request: JsonObject,
  { env, policy, modelArgs = {} }: JobHolder,
): Promise<EvalSettings> {
  const checked = await checkJob(withoutSecrets(without(request, 'resume', 'analysis'), modelArgs), policy, {
    cwd: process.cwd(),
    env,
    workerArgs: modelArgs,
  })
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  return jobSettings(checked.request, policy, { env })
}

/** Removes the names of secrets that the worker gives itself, because it need not have these. */
function withoutSecrets(request: JsonObject, given: Readonly<Record<string, unknown>>): JsonObject {
  const args = request['model_args']
  if (!isObject(args)) return request
  const replaced = Object.keys(given).filter(name => {
    const value = args[name]
    return typeof value === 'string' && value.startsWith('secret:')
  })
  return { ...request, model_args: without(args, ...replaced) }
}
