import { PipelineError } from '../../../base/errors/errors.js'
import { configSchema } from '../../config/file/config-schema.js'
import { evalSettings } from '../../config/eval-settings.js'
import type { EvalSettings } from '../../config/settings.js'
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
