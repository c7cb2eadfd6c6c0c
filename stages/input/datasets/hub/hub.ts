import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Emit } from '../../../../cache/events.js'
import { makeFolder } from '../../../../cache/make-folder.js'
import { DatasetProblem } from '../dataset.js'
import { type RepositoryFile, staysInside } from '../layout/safe-paths.js'
import { download } from './download.js'
import { type HubCache, openHubCache } from './hub-cache.js'
import { type Fetch, hubFetch, type HubSettings, refusal, usualPatience } from './hub-fetch.js'

/** Access to datasets of the Hub. Each repository is looked up once in the lifetime of this object. */
interface Hub {
  /**
   * Returns a repository at a branch, tag or commit.
   *
   * @throws DatasetProblem where it does not exist, may not be read or cannot be reached.
   */
  snapshot(repo: string, revision?: string): Promise<HubSnapshot>
  /** Returns the Parquet conversion of a repository, or undefined if the Hub has none. */
  converted(repo: string): Promise<HubSnapshot | undefined>
}

export interface HubSnapshot {
  readonly repo: string
  /** The full commit id. */
  readonly commit: string
  readonly paths: readonly string[]
  /** The folder of the files that are downloaded. */
  readonly folder: string
  /** Returns the path of a file, downloaded if necessary. */
  file(path: string): Promise<string>
  /** Returns the text of a small file, or undefined if the file does not exist. */
  text(path: string): Promise<string | undefined>
}

const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision)
const convertedBranch = 'refs/convert/parquet'

export function openHub(options: HubSettings): Hub {
  const settings = { ...options, patience: options.patience ?? usualPatience }
  const parts = { settings, fetch: hubFetch(settings) }
  const snapshots = new Map<string, Promise<HubSnapshot>>()
  const snapshot = (repo: string, revision = 'main'): Promise<HubSnapshot> => {
    const key = `${repo}@${revision}`
    const openedSnapshot = snapshots.get(key) ?? openSnapshot(parts, repo, revision)
    snapshots.set(key, openedSnapshot)
    return openedSnapshot
  }
  return {
    snapshot,
    converted: repo =>
      snapshot(repo, convertedBranch).catch((error: unknown) => {
        if (error instanceof NotThere) return undefined
        throw error
      }),
  }
}

/** The repository or revision does not exist, or is not in the cache. */
class NotThere extends DatasetProblem {}

interface Parts {
  readonly settings: HubSettings & { readonly patience: NonNullable<HubSettings['patience']> }
  readonly fetch: Fetch
}

async function openSnapshot(parts: Parts, repo: string, revision: string): Promise<HubSnapshot> {
  const cache = openHubCache(parts.settings.cacheDir, repo)
  const commit = await resolveCommit(parts, cache, { repo, revision })
  const files = await listRepositoryFiles(parts, cache, { repo, commit })
  const byPath = new Map(files.map(file => [file.path, file] as const))
  const underWay = new Map<string, Promise<string>>()
  const once = (path: string, start: () => Promise<string>): Promise<string> => {
    const begun = underWay.get(path) ?? start().finally(() => underWay.delete(path))
    underWay.set(path, begun)
    return begun
  }
  const file = async (path: string): Promise<string> => {
    const listed = byPath.get(path)
    if (listed === undefined) throw new DatasetProblem('dataset_path', `${repo} has no file ${path}`)
    return (
      (await cache.place(commit, listed)) ??
      once(path, () => downloadFile(parts, cache, { repo, commit, file: listed }))
    )
  }
  return {
    repo,
    commit,
    paths: [...byPath.keys()],
    folder: cache.folder(commit),
    file,
    text: async path => (byPath.has(path) ? readFile(await file(path), 'utf8') : undefined),
  }
}

async function resolveCommit(
  parts: Parts,
  cache: HubCache,
  reference: { repo: string; revision: string },
): Promise<string> {
  const { settings } = parts
  const { repo, revision } = reference
  if (isCommit(revision) && (await cache.listed(revision)) !== undefined) return revision
  if (settings.offline) {
    const cachedCommit = isCommit(revision) ? undefined : await cache.commitOf(revision)
    if (cachedCommit === undefined)
      throw new NotThere(
        'dataset_path',
        `HF_HUB_OFFLINE is set, and ${repo} (${revision}) is not in the cache ${settings.cacheDir}`,
      )
    if (revision !== convertedBranch)
      settings.emit({
        type: 'note',
        text: `offline: ${repo} is ${cachedCommit.slice(0, 7)} of the cache, as it was when it was last looked up`,
      })
    return cachedCommit
  }
  const { datasetInfo } = await import('@huggingface/hub')
  const { sha } = await asApi(parts, { repo, what: `"${revision}"` }, fetch =>
    datasetInfo({ name: repo, revision, additionalFields: ['sha'], hubUrl: settings.endpoint, fetch }),
  )
  if (typeof sha !== 'string' || !isCommit(sha))
    throw new DatasetProblem('dataset_path', `${settings.endpoint} does not say which commit ${repo} is at`)
  await cache.keepCommit(revision, sha)
  return sha
}

async function listRepositoryFiles(
  parts: Parts,
  cache: HubCache,
  { repo, commit }: { repo: string; commit: string },
): Promise<readonly RepositoryFile[]> {
  const cachedFiles = await cache.listed(commit)
  if (cachedFiles !== undefined) return cachedFiles
  if (parts.settings.offline)
    throw new NotThere(
      'dataset_path',
      `HF_HUB_OFFLINE is set, and the files of ${repo} are not in the cache ${parts.settings.cacheDir}`,
    )
  const { listFiles } = await import('@huggingface/hub')
  const files = await asApi(parts, { repo, what: commit }, async fetch => {
    const repositoryFiles: RepositoryFile[] = []
    const repoId = { type: 'dataset', name: repo } as const
    for await (const entry of listFiles({
      repo: repoId,
      revision: commit,
      recursive: true,
      hubUrl: parts.settings.endpoint,
      fetch,
    })) {
      if (entry.type !== 'file' || !staysInside(entry.path)) continue
      const { path, lfs, oid } = entry
      repositoryFiles.push({
        path,
        size: lfs?.size ?? entry.size,
        ...(lfs === undefined ? {} : { sha256: lfs.oid.replace(/^sha256:/, '') }),
        ...(oid === undefined ? {} : { oid }),
      })
    }
    return repositoryFiles
  })
  await cache.keepList(commit, files)
  return files
}

/**
 * Runs a request of the library, and words the Hub's errors.
 *
 * @throws DatasetProblem for an error of the Hub, or for an answer of another server, such as a proxy
 */
async function asApi<T>(
  { settings, fetch }: Parts,
  request: { readonly repo: string; readonly what: string },
  call: (fetch: Fetch) => Promise<T>,
): Promise<T> {
  let received = 'nothing'
  try {
    return await call(async (input, init) => {
      const response = await fetch(input, init)
      received = response.headers.get('content-type')?.split(';')[0] ?? 'an answer without a type'
      if (response.ok) return response
      await response.body?.cancel()
      const problem = refusal(response, { ...request, settings })
      throw response.status === 404 ? new NotThere(problem.key, problem.message) : problem
    })
  } catch (error) {
    // The library reads an answer without checking it, so its errors for one of another form are the engine's.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
    throw new DatasetProblem(
      'dataset_path',
      `${settings.endpoint} does not answer as the Hub does: asked for ${request.what} of ${request.repo}, it sent ${received} and no list in JSON. See whether HF_ENDPOINT names a Hub, and whether a proxy or a log-in page answers instead`,
      { cause: error },
    )
  }
}

async function downloadFile(
  { settings, fetch }: Parts,
  cache: HubCache,
  { repo, commit, file }: { repo: string; commit: string; file: RepositoryFile },
): Promise<string> {
  const { endpoint, signal, patience, emit } = settings
  if (settings.offline)
    throw new DatasetProblem(
      'dataset_path',
      `HF_HUB_OFFLINE is set, and ${file.path} of ${repo} (${commit.slice(0, 7)}) is not in the cache ${settings.cacheDir}`,
    )
  const path = cache.blob(file)
  makeFolder(dirname(path))
  if (file.size >= noted)
    emit({ type: 'note', text: `downloading ${repo}: ${file.path} (${(file.size / 1e6).toFixed(0)} MB)` })
  await download({
    url: `${endpoint}/datasets/${repo}/resolve/${commit}/${file.path.split('/').map(encodeURIComponent).join('/')}`,
    file,
    path,
    fetch,
    patience,
    ...(signal === undefined ? {} : { signal }),
    refusal: response => refusal(response, { repo, what: file.path, settings }),
  })
  const placed = await cache.place(commit, file)
  if (placed === undefined)
    throw new DatasetProblem(
      'dataset_path',
      `${path} is not there after its download: another program removed it. Run the same command again.`,
    )
  return placed
}

/** Bytes from which a download is announced. */
const noted = 20e6

/**
 * Access to datasets beyond the files that a task names. The composition root passes it to the tasks that it loads.
 */
export interface DataAccess {
  readonly hub: Hub
  /** Folder for unpacked archives. */
  readonly cacheDir: string
  /** Folders that are searched for the media of all tasks. */
  readonly mediaRoots: readonly string[]
  /** The folder where lmms-eval keeps unpacked media: `$HF_HOME`, else `~/.cache/huggingface`. */
  readonly hfHome: string
  /** Commits by branch or tag, as stored in the resumed or judged run. */
  readonly pinned: ReadonlyMap<string, string>
  /** Reads addresses that rows and tasks name. @default the `fetch` of Node, which reaches any host */
  readonly fetchAddress?: typeof globalThis.fetch
  /** Ends downloads. */
  readonly signal?: AbortSignal
  /** Maximum characters of one record of a text file. @default the usual limit */
  readonly recordLimit?: number
  /**
   * Folders beside the dataset's own that rows of local datasets may name files in, after symbolic links are followed. A service sets it for its jobs.
   *
   * @default any folder
   */
  readonly rowFolders?: readonly string[]
  readonly emit: Emit
}
