import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { publishOnce } from '../../../../base/files/publish-once.js'
import { makeFolder } from '../../../../cache/make-folder.js'
import { z } from 'zod'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { waitOutside, WaitLimitError } from '../../../../base/time/outside-wait.js'
import { type Emit, tellWait } from '../../../../cache/events.js'
import { describeCause } from '../hub/hub-fetch.js'

/** Returns whether a name is a URL instead of a path. */
export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name)

/** Returns an address for messages, without parts that may be secret. */
export function shownAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url === undefined ? text : `${url.origin}${url.pathname}`
}

/** @throws AddressError if a text is no address, or has a user or password, which `fetch` does not take */
function refuseMalformed(address: string): void {
  const { username = '', password = '' } = URL.canParse(address) ? new URL(address) : {}
  if (username !== '' || password !== '')
    throw new AddressError(
      `${shownAddress(address)} holds a user or a password, with which nothing is fetched. Store the file, or an address without them`,
      { isPassing: false },
    )
  if (URL.canParse(address)) return
  throw new AddressError(`${describeText(address)} is not an address: its host, port or an escape is malformed`, {
    isPassing: false,
  })
}

/** The longest malformed address that is shown whole. */
const longestShown = 200

/** Returns a malformed address for messages, without user, password and parameters. */
function describeText(address: string): string {
  const [place = ''] = address.replace(/\/\/[^/?#]*@/, '//').split(/[?#]/, 1)
  return JSON.stringify(place.length > longestShown ? `${place.slice(0, longestShown)}…` : place)
}

/** The file at an address could not be downloaded. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
  readonly isPassing: boolean

  constructor(message: string, options: { readonly isPassing: boolean; readonly cause?: unknown }) {
    super(message, { cause: options.cause })
    this.isPassing = options.isPassing
  }
}

export interface Fetching {
  readonly cacheDir: string
  /** True to check the address for a new version. Otherwise the first download is reused. */
  readonly isRenewed: boolean
  readonly fetch?: typeof globalThis.fetch
  /**
   * True if `fetch` refuses some hosts. Then only files that such a `fetch` brought are reused: another one may hold what a refused host sent, also
   * by a redirect of an allowed one.
   *
   * @default false
   */
  readonly isGuarded?: boolean
  /** Ends the download. */
  readonly signal?: AbortSignal | undefined
  readonly emit?: Emit | undefined
  /** @default as in {@link defaultLimits} */
  readonly limits?: DownloadLimits
}

/** The limits of one download. */
export interface DownloadLimits {
  /** The longest silence of the server. */
  readonly silenceMs: number
  readonly totalMs: number
  readonly bytes: number
}

/** A picture of a row: docs behind it wait for it. */
export const mediumLimits: DownloadLimits = { silenceMs: 20_000, totalMs: 10 * 60_000, bytes: 4 * 2 ** 30 }
/** A file of a dataset. */
const defaultLimits: DownloadLimits = { silenceMs: 60_000, totalMs: 6 * 3_600_000, bytes: 512 * 2 ** 30 }

/** Chooses how the addresses of a task's data are read. */
export const fetchingBy = (
  { cacheDir, fetchAddress, signal, emit }: DownloadAccess,
  options: Pick<Fetching, 'isRenewed' | 'limits'> & { readonly signal?: AbortSignal | undefined },
): Fetching => {
  const signals = [signal, options.signal].filter(abortSignal => abortSignal !== undefined)
  const guard = fetchAddress && { fetch: fetchAddress, isGuarded: true }
  return { cacheDir, emit, ...options, signal: AbortSignal.any(signals), ...guard }
}

interface DownloadAccess {
  readonly cacheDir: string
  readonly fetchAddress?: Fetching['fetch'] | undefined
  readonly signal?: AbortSignal | undefined
  readonly emit?: Emit
}

const attempts = 3
const firstWaitMs = 500

const stamp = z.object({ etag: z.string().optional(), modified: z.string().optional() })

/**
 * Downloads the file at an address into the cache, where files from guarded hosts have their own folder. It is complete there, or does not exist. Where the server cannot
 * be reached, an earlier download is used.
 *
 * @throws AddressError, and the reason of `fetching.signal` when it is aborted
 */
export async function fetchedFile(address: string, fetching: Fetching): Promise<string> {
  refuseMalformed(address)
  const folder = join(fetching.cacheDir, fetching.isGuarded === true ? 'public-addresses' : 'addresses')
  const name = createHash('sha256').update(address).digest('hex')
  const path = join(folder, `${name}${extractEnding(address)}`)
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  if (isThere && !fetching.isRenewed) return path
  makeFolder(folder)
  for (let attempt = 1; ; attempt += 1) {
    try {
      await fetchMedium(address, { path, isThere, fetching })
      return path
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      if (error.isPassing && isThere) return path
      if (!error.isPassing || attempt >= attempts) throw error
      await setTimeout(firstWaitMs * 2 ** (attempt - 1), undefined, { signal: fetching.signal })
    }
  }
}

/** Returns the last data file ending in an address, including a compression ending. It decides how the file is read. */
function extractEnding(address: string): string {
  const { pathname } = new URL(address)
  const ending = extname(pathname)
  const inner = /^\.(gz|zst)$/i.test(ending) ? extname(pathname.slice(0, -ending.length)) : ''
  return /^[.\w]*$/.test(inner + ending) ? inner + ending : ''
}

async function fetchMedium(
  address: string,
  { path, isThere, fetching }: { readonly path: string; readonly isThere: boolean; readonly fetching: Fetching },
): Promise<void> {
  const { fetch = globalThis.fetch, limits = defaultLimits, signal, emit } = fetching
  const oldStamp = isThere ? await readStamp(path) : {}
  const headers = {
    'accept-encoding': 'identity',
    ...(oldStamp.etag === undefined ? {} : { 'if-none-match': oldStamp.etag }),
    ...(oldStamp.modified === undefined ? {} : { 'if-modified-since': oldStamp.modified }),
  }
  const silence = new AbortController()
  const timer = globalThis.setTimeout(() => silence.abort(), limits.silenceMs)
  const what = shownAddress(address)
  const download = async (ended: AbortSignal): Promise<void> => {
    const response = await fetch(address, { headers, signal: AbortSignal.any([ended, silence.signal]) })
    if (response.status === 304) return
    await keep(response, { address, path, most: limits.bytes, onBytes: () => timer.refresh() })
  }
  try {
    const onSlow = emit && tellWait(emit, what, limits.totalMs)
    await waitOutside(download, { what, limitMs: limits.totalMs, signal, onSlow })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (error instanceof AddressError || isOfDisk(error)) throw error
    const why = silence.signal.aborted ? `nothing came for ${limits.silenceMs / 1_000} s` : describeCause(error)
    throw new AddressError(`${what} can't be read: ${why}`, {
      // A retry of a download that exceeded the time limit would exceed it again.
      isPassing: !isRefusal(error) && !(error instanceof WaitLimitError),
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Tells whether the host is forbidden, so that a retry is useless. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.cause instanceof PipelineError

const isOfDisk = (error: unknown): boolean => /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES)$/.test(systemCode(error) ?? '')

async function keep(
  response: Response,
  {
    address,
    path,
    most,
    onBytes,
  }: { readonly address: string; readonly path: string; readonly most: number; readonly onBytes: () => void },
): Promise<void> {
  const { body } = response
  if (!response.ok || body === null) {
    await body?.cancel()
    const isPassing = response.status === 429 || response.status >= 500
    throw new AddressError(`${shownAddress(address)} answered ${response.status}`, { isPassing })
  }
  const partial = `${path}.${randomUUID()}.tmp`
  try {
    const file = createWriteStream(partial, { flush: true })
    let bytes = 0
    const onPiece = (length: number): void => {
      onBytes()
      bytes += length
      if (bytes > most)
        throw new AddressError(`${shownAddress(address)} has more than ${most} bytes`, { isPassing: false })
    }
    await pipeline(reportPieces(body, onPiece), file)
    const { size } = await stat(partial)
    const declared = response.headers.get('content-length')
    if (declared !== null && Number(declared) !== size)
      throw new AddressError(`${shownAddress(address)} broke off after ${size} of ${declared} bytes`, {
        isPassing: true,
      })
    const [etag, modified] = ['etag', 'last-modified'].map(name => response.headers.get(name) ?? undefined)
    // Another process may read the file of the same content that it fetched meanwhile.
    await publishOnce(partial, path)
    await writeFile(`${path}.stamp`, JSON.stringify({ etag, modified }))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function* reportPieces(
  body: AsyncIterable<Uint8Array>,
  onPiece: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    onPiece(bytes.length)
    yield bytes
  }
}

async function readStamp(path: string): Promise<z.output<typeof stamp>> {
  try {
    return stamp.safeParse(JSON.parse(await readFile(`${path}.stamp`, 'utf8'))).data ?? {}
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}
