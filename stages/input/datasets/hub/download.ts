import { open, rm, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { haveSameSize, publishOnce } from '../../../../base/files/publish-once.js'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { DatasetProblem } from '../dataset.js'
import { describeCause, type Fetch, type HubTimeouts, HubUnreachable } from './hub-fetch.js'
import { type RepositoryFile, whyNot } from '../layout/safe-paths.js'

export interface Download {
  readonly url: string
  readonly file: RepositoryFile
  readonly path: string
  readonly fetch: Fetch
  readonly patience: HubTimeouts
  readonly signal?: AbortSignal
  /** Words an error response. */
  readonly refusal: (response: Response) => DatasetProblem
}

/**
 * Downloads a file. Afterwards it is complete and verified, or does not exist. Partial content stays beside it
 * (`….partial`), and the next attempt of any process continues there. Two processes at once write the same bytes to
 * the same positions.
 *
 * @throws DatasetProblem where the Hub refuses, the bytes differ from its listing, or nothing arrives for long.
 */
export async function download(wanted: Download): Promise<void> {
  const partial = `${wanted.path}.partial`
  let misses = 0
  for (;;) {
    const before = await readFileSize(partial)
    try {
      if (before < wanted.file.size || before === 0) await downloadTo(wanted, partial, before)
      break
    } catch (error) {
      wanted.signal?.throwIfAborted()
      if (!(error instanceof HubUnreachable)) throw onDisk(error, wanted.path)
      misses = (await readFileSize(partial)) > before ? 0 : misses + 1
      if (misses >= wanted.patience.attempts) throw error
      await setTimeout(wanted.patience.firstWaitMs * 2 ** misses, undefined, wanted.signal && { signal: wanted.signal })
    }
  }
  await settle(wanted, partial)
}

async function settle({ file, path }: Download, partial: string): Promise<void> {
  try {
    const why = await whyNot(file, partial)
    if (why === undefined) {
      await publishOnce(partial, path, haveSameSize)
      return
    }
    await rm(partial, { force: true })
    throw new DatasetProblem('dataset_path', `${file.path} arrived damaged: ${why}. Run the same command again.`)
  } catch (error) {
    // Another process has completed the file meanwhile.
    if (systemCode(error) === 'ENOENT' && (await readFileSize(path)) === file.size) return
    throw error
  }
}

const readFileSize = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return 0
      throw error
    },
  )

async function downloadTo(wanted: Download, partial: string, from: number): Promise<void> {
  const { file, patience, signal } = wanted
  const stalled = new AbortController()
  const response = await wanted.fetch(wanted.url, {
    headers: { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
    signal: signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]),
  })
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw wanted.refusal(response)
  }
  const start = readRangeStart(response, from)
  const declared = response.headers.get('content-length')
  if (start === undefined || (declared !== null && start + Number(declared) !== file.size)) {
    await response.body.cancel()
    throw new DatasetProblem(
      'dataset_path',
      `${file.path}: the Hub lists ${file.size} bytes and sends others (${response.status}, ${declared ?? 'no'} bytes)`,
    )
  }
  const handle = await open(partial, from === 0 ? 'a' : 'r+').then(async newFile => {
    await newFile.close()
    return open(partial, 'r+')
  })
  try {
    await write(response.body, { handle, start, stalled, stallMs: patience.stallMs, limit: file.size })
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the position of the first byte in a response; undefined where it is another range than requested. */
function readRangeStart({ status, headers }: Response, from: number): number | undefined {
  if (status !== 206) return 0
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1]
  return Number(start) === from ? from : undefined
}

async function write(
  body: ReadableStream<Uint8Array>,
  into: {
    readonly handle: FileHandle
    readonly start: number
    readonly stalled: AbortController
    readonly stallMs: number
    readonly limit: number
  },
): Promise<void> {
  const { handle, stalled, limit } = into
  let position = into.start
  const timer = globalThis.setTimeout(() => stalled.abort(), into.stallMs)
  try {
    for await (const bytes of body) {
      timer.refresh()
      if (position + bytes.byteLength > limit)
        throw new HubUnreachable('dataset_path', 'more bytes came than the Hub lists')
      await handle.write(bytes, 0, bytes.byteLength, position)
      position += bytes.byteLength
    }
  } catch (error) {
    if (systemCode(error) !== undefined && isOfDisk(error)) throw error
    if (error instanceof HubUnreachable) throw error
    const why = stalled.signal.aborted ? `nothing came for ${into.stallMs / 1_000} s` : describeCause(error)
    throw new HubUnreachable('dataset_path', `a download broke off: ${why}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
  if (position < limit)
    throw new HubUnreachable('dataset_path', `a download broke off after ${position} of ${limit} bytes`)
}

const isOfDisk = (error: unknown): boolean => /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$/.test(systemCode(error) ?? '')

const onDisk = (error: unknown, path: string): unknown =>
  isOfDisk(error)
    ? new PipelineError(
        'dataset',
        `${path} can't be written (${systemCode(error) ?? ''}). What was downloaded is kept; free some space and run the same command again.`,
        { cause: error },
      )
    : error
