import { join, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import type { Run } from '../../cache/records.js'
import { type DataAccess, openHub } from '../../stages/input/datasets/hub/hub.js'
import { huggingFaceHome, recordMegabytes, variable } from '../config/variables.js'
import type { Environment, Hooks } from '../config/settings.js'

/**
 * Reads from the environment where datasets may come from: the Hub (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`), its cache
 * (`PIPELINE_HUB_CACHE`, else in the store's work folder), folders of media (`PIPELINE_MEDIA_ROOT`, `HF_HOME`), and which hosts addresses may have
 * (`PIPELINE_MEDIA_HOSTS`).
 *
 * @param options.rowFolders folders beside the dataset's own that rows of local datasets may name files in; any folder where this is absent
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

/** One for the process, as it holds connections. */
let publicOnly: typeof globalThis.fetch | undefined

/**
 * Reads `PIPELINE_MEDIA_HOSTS`: with `public`, addresses in rows and tasks must be those of public servers. A service sets it for its workers, whose
 * datasets other people choose.
 */
function addressAccess(env: Environment): Pick<DataAccess, 'fetchAddress'> {
  const hosts = variable(env, 'PIPELINE_MEDIA_HOSTS') ?? 'any'
  if (hosts === 'any') return {}
  if (hosts === 'public') {
    // undici is loaded for the first address only.
    const fetchAddress: typeof globalThis.fetch = async (...request) => {
      const { publicFetch } = await import('../../stages/input/datasets/locate/public-fetch.js')
      publicOnly ??= publicFetch()
      return publicOnly(...request)
    }
    return { fetchAddress }
  }
  throw new PipelineError('usage', `PIPELINE_MEDIA_HOSTS: expected "any" or "public", given "${hosts}"`)
}

/** The address of the Hub, without a slash at its end. @throws PipelineError if `HF_ENDPOINT` is no address, or holds a password */
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
