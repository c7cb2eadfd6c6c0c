import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { haveSameSize, publishOnce } from '../../../base/files/publish-once.js'
import { makeFolder } from '../../../cache/make-folder.js'

type Row = Readonly<Record<string, unknown>>

/** Rows that a program gives: a list, something that can be iterated, or a function that returns it. */
export type RowSource = Iterable<Row> | AsyncIterable<Row> | (() => Iterable<Row> | AsyncIterable<Row>)

/** The key under which a row's bytes are written. */
const bytesKey = '$bytes'

/** Rows of iterables that give them only once, kept for as long as the process runs. */
const spooledFiles = new WeakMap<object, Promise<string>>()

/**
 * Writes rows to a JSON lines file below `cacheDir`, in a folder named by the rows' digest.
 *
 * @returns the path, which is the same for the same rows
 * @throws PipelineError where a row is neither JSON nor bytes, or there are none.
 */
export async function spooledRows(source: RowSource, cacheDir: string): Promise<string> {
  const folder = join(cacheDir, 'rows')
  if (!isReadOnce(source)) return spool(source, folder)
  const spooling = spooledFiles.get(source) ?? spool(source, await processFolder())
  spooledFiles.set(source, spooling)
  const file = await spooling
  const placed = join(folder, basename(dirname(file)), 'rows.jsonl')
  // A copy that was broken off has another size.
  if (await haveSameSize(file, placed)) return placed
  makeFolder(dirname(placed))
  const temporary = `${placed}.${randomUUID()}.tmp`
  try {
    await copyFile(file, temporary)
    await publishOnce(temporary, placed)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return placed
}

/** Tells whether rows can be read only once. A generator is its own iterator, and is exhausted after one reading. */
function isReadOnce(source: RowSource): boolean {
  if (typeof source === 'function') return false
  const iterator: unknown = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  return iterator === source
}

let ownFolder: Promise<string> | undefined

/** A folder that is removed when the process ends. */
function processFolder(): Promise<string> {
  ownFolder ??= mkdtemp(join(tmpdir(), 'pipeline-rows-')).then(folder => {
    process.once('exit', () => {
      rmSync(folder, { recursive: true, force: true })
    })
    return folder
  })
  return ownFolder
}

async function spool(source: RowSource, folder: string): Promise<string> {
  makeFolder(folder)
  const temporary = join(folder, `${randomUUID()}.tmp`)
  const out = createWriteStream(temporary)
  const hash = createHash('sha256')
  let count = 0
  try {
    for await (const row of typeof source === 'function' ? source() : source) {
      const line = `${JSON.stringify(writable(row, `rows[${count}]`))}\n`
      hash.update(line)
      if (!out.write(line)) await once(out, 'drain')
      count += 1
    }
    out.end()
    await once(out, 'close')
    if (count === 0)
      throw new PipelineError('dataset', 'the dataset has no rows: an iterable that was read before gives none')
    const digest = hash.digest('hex')
    makeFolder(join(folder, digest))
    const file = join(folder, digest, 'rows.jsonl')
    // The folder's name stands for the content, so other programs may be reading the file.
    await publishOnce(temporary, file)
    return file
  } catch (error) {
    out.destroy()
    await rm(temporary, { force: true })
    throw error
  }
}

/** The maximum number of lists and objects within each other. Readers of JSON and of Parquet files have similar limits. */
const deepest = 200

/**
 * Converts a value to JSON, with bytes as base64. Values that JSON would change silently are rejected.
 *
 * @param around the lists and objects that hold the value
 */
function writable(value: unknown, location: string, around: readonly unknown[] = []): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof Uint8Array) return { [bytesKey]: Buffer.from(value).toString('base64') }
  if (around.includes(value))
    throw new PipelineError(
      'dataset',
      `${location} leads back to a value that holds it, which has no end. Leave it out`,
    )
  const outer = [...around, value]
  if (outer.length > deepest)
    throw new PipelineError(
      'dataset',
      `${location.slice(0, 60)}… is nested too deep: more than ${deepest} lists or objects within each other. Write it flatter`,
    )
  if (Array.isArray(value)) return value.map((item: unknown, index) => writable(item, `${location}[${index}]`, outer))
  if (isPlain(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
        item === undefined ? [] : [[key, writable(item, `${location}.${key}`, outer)]],
      ),
    )
  const kind = typeof value === 'object' ? value.constructor.name : typeof value
  throw new PipelineError(
    'dataset',
    `${location} is neither JSON nor bytes (${kind}). Convert it to a text or a number`,
  )
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)

/** Restores the original row with its bytes. */
export function readSpooled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readSpooled)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const entries = Object.entries(value)
  const [first] = entries
  if (entries.length === 1 && first?.[0] === bytesKey && typeof first[1] === 'string')
    return new Uint8Array(Buffer.from(first[1], 'base64'))
  return Object.fromEntries(entries.map(([key, item]: [string, unknown]) => [key, readSpooled(item)]))
}
