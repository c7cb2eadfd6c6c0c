import { join, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import type { Run } from '../../cache/records.js'
import { type DataAccess, openHub } from '../../stages/input/datasets/hub/hub.js'
import { huggingFaceHome, recordMegabytes, variable } from '../config/variables.js'
import type { Environment, Hooks } from '../config/settings.js'

/**
 * Reads the sources of datasets from the environment: the Hub (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`), its cache (`PIPELINE_HUB_CACHE`, default
 * in the store's work folder), folders of media (`PIPELINE_MEDIA_ROOT`, `HF_HOME`), and allowed hosts (`PIPELINE_MEDIA_HOSTS`).
 *
 * @param options.rowFolders further folders in which rows of local datasets may name files. @default any folder
 * @param options.run the run to continue; datasets are read at the commits that it used
 * @throws PipelineError if the endpoint is not an address, or the hosts are neither `any` nor `public`
 */
export function dataAccess(
  env: Environment,
  options: {
    readonly workFolder: string
    readonly emit: Hooks['emit']
    readonly run?: Run
    readonly isOffline?: boolean
    readonly signal?: AbortSignal
    readonly rowFolders?: readonly string[] | undefined
  },
): DataAccess {
  const cacheDir = resolve(variable(env, 'PIPELINE_HUB_CACHE') ?? join(options.workFolder, 'hub'))
  const token = variable(env, 'HF_TOKEN')
  const { emit, signal, run } = options
  return {
    hub: openHub({
      endpoint: readHubEndpoint(env),
      offline: options.isOffline ?? /^(1|true|yes|on)$/i.test(env['HF_HUB_OFFLINE'] ?? ''),
      cacheDir,
      emit,
      ...(token === undefined ? {} : { token }),
      ...(signal === undefined ? {} : { signal }),
    }),
    cacheDir,
    mediaRoots: [variable(env, 'PIPELINE_MEDIA_ROOT') ?? variable(env, 'LMMS_EVAL_MEDIA_ROOT')].flatMap(folder =>
      folder === undefined ? [] : [resolve(folder)],
    ),
    hfHome: huggingFaceHome(env),
    pinned: new Map(
      (run?.asked.tasks ?? []).flatMap(({ name, dataset: { revision } }) =>
        revision === undefined ? [] : [[name, revision] as const],
      ),
    ),
    ...addressAccess(env),
    ...(signal === undefined ? {} : { signal }),
    ...recordAccess(env),
    ...(options.rowFolders && { rowFolders: options.rowFolders }),
    emit,
  }
}

function recordAccess(env: Environment): Pick<DataAccess, 'recordLimit'> {
  const megabytes = recordMegabytes(env)
  return megabytes === undefined ? {} : { recordLimit: Math.floor(megabytes * 2 ** 20) }
}

/** Shared by the process, because it holds a connection pool. */
let publicOnly: typeof globalThis.fetch | undefined

/**
 * Reads `PIPELINE_MEDIA_HOSTS`. With `public`, rows and tasks may only name addresses of public servers. A service sets it for its workers, because
 * other people choose their datasets.
 */
function addressAccess(env: Environment): Pick<DataAccess, 'fetchAddress'> {
  const hosts = variable(env, 'PIPELINE_MEDIA_HOSTS') ?? 'any'
  if (hosts === 'any') return {}
  if (hosts === 'public') {
    // undici is only loaded when an address is fetched.
    const fetchAddress: typeof globalThis.fetch = async (...request) => {
      const { publicFetch } = await import('../../stages/input/datasets/locate/public-fetch.js')
      publicOnly ??= publicFetch()
      return publicOnly(...request)
    }
    return { fetchAddress }
  }
  throw new PipelineError('usage', `PIPELINE_MEDIA_HOSTS: expected "any" or "public", given "${hosts}"`)
}

/** Returns the address of the Hub, without a slash at its end. @throws PipelineError if `HF_ENDPOINT` is no address, or holds a password */
export const readHubEndpoint = (env: Environment): string =>
  parseEndpoint(variable(env, 'HF_ENDPOINT') ?? 'https://huggingface.co')

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new PipelineError('usage', 'HF_ENDPOINT: expected an address, such as https://huggingface.co')
  if (url.username !== '' || url.password !== '')
    throw new PipelineError('usage', 'HF_ENDPOINT: an address without user and password; a token is given in HF_TOKEN')
  return text.replace(/\/+$/, '')
}
