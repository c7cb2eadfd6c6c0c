import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { makeFolder } from '../../../../cache/make-folder.js'
import { z } from 'zod'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { causeOf } from '../hub/hub-fetch.js'

/** Whether a name is a URL instead of a path. */
export const isAddress = (name: string): boolean => /^https?:\/\//i.test(name)

/** Returns an address for messages, without parts that may be secret. */
export function shownAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url === undefined ? text : `${url.origin}${url.pathname}`
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
  /** Whether the file is looked for again; else the first download is kept. */
  readonly isRenewed: boolean
  readonly fetch?: typeof globalThis.fetch
}

/** How the addresses of a task's data are read. */
export const fetchingBy = (
  { cacheDir, fetchAddress }: { readonly cacheDir: string; readonly fetchAddress?: Fetching['fetch'] | undefined },
  { isRenewed }: Pick<Fetching, 'isRenewed'>,
): Fetching => ({ cacheDir, isRenewed, ...(fetchAddress && { fetch: fetchAddress }) })

const attempts = 3
const firstWaitMs = 500
const stallMs = 60_000

const stamp = z.object({ etag: z.string().optional(), modified: z.string().optional() })

/**
 * Downloads the file at an address into the cache. It is complete there, or does not exist. Where the server cannot
 * be reached, an earlier download is used.
 *
 * @throws AddressError
 */
export async function fetchedFile(address: string, fetching: Fetching): Promise<string> {
  const folder = join(fetching.cacheDir, 'addresses')
  const name = createHash('sha256').update(address).digest('hex')
  const place = join(folder, `${name}${endingOf(address)}`)
  const isThere = await stat(place).then(
    () => true,
    () => false,
  )
  if (isThere && !fetching.isRenewed) return place
  makeFolder(folder)
  for (let attempt = 1; ; attempt += 1) {
    try {
      await bring(address, { place, isThere, fetch: fetching.fetch ?? globalThis.fetch })
      return place
    } catch (error) {
      if (!(error instanceof AddressError)) throw error
      if (error.isPassing && isThere) return place
      if (!error.isPassing || attempt >= attempts) throw error
      await setTimeout(firstWaitMs * 2 ** (attempt - 1))
    }
  }
}

/**
 * Returns the last known ending of data files in an address, with that of a compression, which decides how it is
 * read.
 */
function endingOf(address: string): string {
  const { pathname } = new URL(address)
  const ending = extname(pathname)
  const inner = /^\.(gz|zst)$/i.test(ending) ? extname(pathname.slice(0, -ending.length)) : ''
  return /^[.\w]*$/.test(inner + ending) ? inner + ending : ''
}

async function bring(
  address: string,
  {
    place,
    isThere,
    fetch,
  }: { readonly place: string; readonly isThere: boolean; readonly fetch: typeof globalThis.fetch },
): Promise<void> {
  const known = isThere ? await stampOf(place) : {}
  const headers = {
    'accept-encoding': 'identity',
    ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known.modified === undefined ? {} : { 'if-modified-since': known.modified }),
  }
  const stalled = new AbortController()
  const timer = globalThis.setTimeout(() => stalled.abort(), stallMs)
  try {
    const response = await fetch(address, { headers, signal: stalled.signal })
    if (response.status !== 304) await keep(response, { address, place, onBytes: () => timer.refresh() })
  } catch (error) {
    if (error instanceof AddressError || isOfDisk(error)) throw error
    const why = stalled.signal.aborted ? `nothing came for ${stallMs / 1_000} s` : causeOf(error)
    throw new AddressError(`${shownAddress(address)} can't be read: ${why}`, {
      isPassing: !isRefusal(error),
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the host is one that must not be reached, which a retry would not change. */
const isRefusal = (error: unknown): boolean => error instanceof Error && error.cause instanceof PipelineError

const isOfDisk = (error: unknown): boolean => /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS|EACCES)$/.test(systemCode(error) ?? '')

async function keep(
  response: Response,
  { address, place, onBytes }: { readonly address: string; readonly place: string; readonly onBytes: () => void },
): Promise<void> {
  const { body } = response
  if (!response.ok || body === null) {
    await body?.cancel()
    const isPassing = response.status === 429 || response.status >= 500
    throw new AddressError(`${shownAddress(address)} answered ${response.status}`, { isPassing })
  }
  const partial = `${place}.${randomUUID()}.tmp`
  try {
    const file = createWriteStream(partial, { flush: true })
    await pipeline(watched(body, onBytes), file)
    const { size } = await stat(partial)
    const declared = response.headers.get('content-length')
    if (declared !== null && Number(declared) !== size)
      throw new AddressError(`${shownAddress(address)} broke off after ${size} of ${declared} bytes`, {
        isPassing: true,
      })
    const [etag, modified] = ['etag', 'last-modified'].map(name => response.headers.get(name) ?? undefined)
    await rename(partial, place)
    await writeFile(`${place}.stamp`, JSON.stringify({ etag, modified }))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function* watched(body: AsyncIterable<Uint8Array>, onBytes: () => void): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) {
    onBytes()
    yield bytes
  }
}

async function stampOf(place: string): Promise<z.output<typeof stamp>> {
  try {
    return stamp.safeParse(JSON.parse(await readFile(`${place}.stamp`, 'utf8'))).data ?? {}
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}
