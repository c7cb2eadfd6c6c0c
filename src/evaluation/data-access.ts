import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import type { Run } from '../../cache/records.js'
import { type DataAccess, openHub } from '../../stages/input/datasets/hub/hub.js'
import type { Hooks } from './settings.js'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads from the environment where datasets may come from: the Hub (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`), its cache
 * (`PIPELINE_HUB_CACHE`, else below the store), folders of media (`PIPELINE_MEDIA_ROOT`, `HF_HOME`), and which hosts addresses may have
 * (`PIPELINE_MEDIA_HOSTS`).
 *
 * @param options.run the run to continue; datasets are read at the commits that it used
 * @throws PipelineError if the endpoint is not an address, or the hosts are neither `any` nor `public`
 */
export function dataAccess(
  env: Environment,
  options: {
    readonly storeDir: string
    readonly emit: Hooks['emit']
    readonly run?: Run
    readonly isOffline?: boolean
    readonly signal?: AbortSignal
  },
): DataAccess {
  const cacheDir = resolve(given(env, 'PIPELINE_HUB_CACHE') ?? join(options.storeDir, 'hub'))
  const token = given(env, 'HF_TOKEN')
  const { emit, signal, run } = options
  return {
    hub: openHub({
      endpoint: endpointOf(given(env, 'HF_ENDPOINT') ?? 'https://huggingface.co'),
      offline: options.isOffline ?? /^(1|true|yes|on)$/i.test(env['HF_HUB_OFFLINE'] ?? ''),
      cacheDir,
      emit,
      ...(token === undefined ? {} : { token }),
      ...(signal === undefined ? {} : { signal }),
    }),
    cacheDir,
    mediaRoots: [given(env, 'PIPELINE_MEDIA_ROOT') ?? given(env, 'LMMS_EVAL_MEDIA_ROOT')].flatMap(folder =>
      folder === undefined ? [] : [resolve(folder)],
    ),
    hfHome: resolve(given(env, 'HF_HOME') ?? join(homedir(), '.cache', 'huggingface')),
    pinned: new Map(
      (run?.asked.tasks ?? []).flatMap(({ name, dataset: { revision } }) =>
        revision === undefined ? [] : [[name, revision] as const],
      ),
    ),
    ...addressAccess(env),
    emit,
  }
}

/** One for the process, as it holds connections. */
let publicOnly: typeof globalThis.fetch | undefined

/**
 * Reads `PIPELINE_MEDIA_HOSTS`: with `public`, addresses in rows and tasks must be those of public servers. A service sets it for its workers, whose
 * datasets other people choose.
 */
function addressAccess(env: Environment): Pick<DataAccess, 'fetchAddress'> {
  const hosts = given(env, 'PIPELINE_MEDIA_HOSTS') ?? 'any'
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

const given = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new PipelineError('usage', 'HF_ENDPOINT: expected an address, such as https://huggingface.co')
  if (url.username !== '' || url.password !== '')
    throw new PipelineError('usage', 'HF_ENDPOINT: an address without user and password; a token is given in HF_TOKEN')
  return text.replace(/\/+$/, '')
}
