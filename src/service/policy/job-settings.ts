import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Job } from '../../../cache/store.js'
import { configSchema } from '../../config/file/config-schema.js'
import { evalSettings } from '../../config/eval-settings.js'
import type { EvalSettings } from '../../config/settings.js'
import { checkJob } from './check-job.js'
import type { JobPolicy, Surroundings } from './job-policy.js'
import { withSecrets } from './job-secrets.js'

/**
 * Makes the settings of a checked job, for the process that runs it. They hold the values of secrets, and must not be stored.
 *
 * @param request as checkJob returned it
 * @throws PipelineError if the server has no secret of a name any more, or this version does not know a key
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
  // Only the text is meant: settings of a command line would read a file of this name.
  const { system_instruction: systemInstruction = '', ...config } = parsed.data
  const settings = evalSettings({}, config, env)
  return systemInstruction === '' ? settings : { ...settings, systemInstruction }
}

/** Holds what a worker gives to the settings of each job. */
export interface JobHolder {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The policy for the names in jobs. The server checked it by its own policy; a worker may have another one. */
  readonly policy: JobPolicy
  /** Arguments of the model over those of each job, such as the address of this machine's engine. The worker's owner is trusted. */
  readonly modelArgs?: Readonly<Record<string, unknown>>
}

/**
 * Tells why this worker cannot do a job that another one may do: it names what the flags of this worker do not allow, or what this version does not know.
 *
 * @returns undefined if it can
 */
export async function findRefusal({ request }: Pick<Job, 'request'>, given: JobHolder): Promise<string | undefined> {
  // Code of runs that are only scored is checked when they are.
  if (request['model'] === undefined && request['analysis'] !== undefined) return undefined
  try {
    await workerSettings(request, given)
    return undefined
  } catch (error) {
    if (error instanceof PipelineError) return error.problems.join('\n')
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
  const checked = await checkJob(withoutArguments(without(request, 'resume', 'analysis'), modelArgs), policy, {
    cwd: process.cwd(),
    env,
  })
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  return jobSettings(checked.request, policy, { env })
}

/** Removes the arguments that the worker replaces. What they name need not be allowed. */
function withoutArguments(request: JsonObject, replaced: Readonly<Record<string, unknown>>): JsonObject {
  const args = request['model_args']
  return isObject(args) ? { ...request, model_args: without(args, ...Object.keys(replaced)) } : request
}
