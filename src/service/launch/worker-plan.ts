/** Plans the workers that a scheduler starts, each with an engine if requested. */
import { PipelineError } from '../../../base/errors/errors.js'
import { isServerAddress, shownAddress } from '../../../base/text/server-address.js'
import { parseArguments } from '../../config/argument-string.js'
import type { LaunchFlags } from '../../config/launch-options.js'
import { secretTexts } from '../../config/secrets.js'
import { workerWords, type WorkerFlags } from '../settings.js'

/** Workers as a scheduler starts them. */
export interface WorkerPlan {
  readonly name: string
  readonly workers: number
  /** The command line of a worker, without the program. It holds no secret. */
  readonly words: readonly string[]
  readonly grace: number
  readonly cpus: number
  readonly memoryGb: number
  readonly gpus: number
  readonly engine?: { readonly command: string; readonly url: URL }
}

/** The default name of a scheduler's job. */
const defaultName = 'pipeline-workers'
/** The default address of the engine. */
const defaultEngineUrl = 'http://127.0.0.1:8000/v1'

/**
 * Plans workers from the flags of `pipeline launch`.
 *
 * @param options.endsIdle whether a worker exits after an idle time
 * @throws PipelineError (usage) if the store is a folder, or a flag holds a secret, which the script would contain
 */
export function planWorkers(
  store: string,
  flags: LaunchFlags & WorkerFlags,
  { endsIdle = true }: { readonly endsIdle?: boolean } = {},
): WorkerPlan {
  const { jobName = defaultName, engine, engineUrl } = flags
  const problems = [
    ...(isServerAddress(store)
      ? []
      : [
          `--store ${store}: workers of several machines need a store on PostgreSQL, such as --store 'postgres://user@host/db?media=/shared/folder'`,
        ]),
    ...(secretTexts(parseArguments(flags.modelArgs ?? [], '--model-args')).length === 0
      ? []
      : ['--model-args: a secret would stand in the script. Set it in the environment of the workers']),
    ...(/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(jobName)
      ? []
      : [`--job-name: expected small letters, digits and hyphens, at most 52, given "${jobName}"`]),
    ...(engineUrl === undefined || engine !== undefined ? [] : ['--engine-url needs --engine']),
    ...(engineUrl === undefined || (/^https?:\/\/[^/]/.test(engineUrl) && URL.canParse(engineUrl))
      ? []
      : [`--engine-url: expected an address such as ${defaultEngineUrl}, given "${engineUrl}"`]),
  ]
  if (problems.length > 0) throw new PipelineError('usage', problems)
  const url = new URL(engineUrl ?? defaultEngineUrl)
  return {
    name: jobName,
    workers: flags.workers ?? 1,
    words: makeWords(shownAddress(store), flags, { endsIdle, ...(engine !== undefined && { base: url.href }) }),
    grace: flags.grace ?? 120,
    cpus: flags.cpus ?? 2,
    memoryGb: flags.memoryGb ?? 4,
    gpus: flags.gpus ?? 0,
    ...(engine !== undefined && { engine: { command: engine, url } }),
  }
}

/** The address at which an engine that is ready lists its models. */
export const modelsPath = ({ pathname }: URL): string => `${pathname.replace(/\/+$/, '')}/models`

function makeWords(
  store: string,
  flags: LaunchFlags & WorkerFlags,
  { endsIdle, base }: { readonly endsIdle: boolean; readonly base?: string },
): readonly string[] {
  return [
    ...workerWords(flags, store),
    ...(base === undefined ? [] : ['--model-args', `base_url=${base.replace(/\/+$/, '')}`]),
    ...(endsIdle ? ['--idle', String(Math.ceil(flags.idle ?? 300))] : []),
  ]
}
