import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../../base/errors/errors.js'
import { manifestName, parseManifest, scoresPart, type Manifest, type Part } from '../manifest.js'
import { inLanes, threadsFor, collectGarbage, writePartInThread } from './part-threads.js'
import {
  failureColumns,
  itemColumns,
  preimageColumns,
  sealedResponse,
  sealedResponseColumns,
  sealedVerdict,
  sealedVerdictColumns,
} from './parts.js'
import type { ExportedRun, RunTables, Table } from '../portable.js'
import { isBuilt } from '../../code/project-root.js'
import { sha256, streamingSha256 } from '../../digest.js'
import type { Columns, Flat } from '../../parquet/columns.js'
import type { WrittenFile } from '../../parquet/write.js'

/** A table of a run that is being written to a file. */
interface PartTable {
  readonly name: string
  readonly write: (file: string) => Promise<WrittenFile | undefined>
}

interface PartDraft extends PartTable {
  /** A text that changes whenever the rows change. */
  readonly stamp: string
}

/**
 * The tables in the order of writing: each table refers only to rows of a later one. Requests to a judge model, and those
 * of rounds, have an index made from their key, which needs 64 bits.
 */
export function partTables(run: RunTables & Partial<Pick<ExportedRun, 'asked'>>): readonly PartTable[] {
  const isWide = run.asked?.judge !== undefined || run.asked?.rounds !== undefined
  const widen = <Row extends { readonly doc_index: number }>(columns: Columns<Row>): Columns<Row> =>
    isWide ? { ...columns, doc_index: { type: 'wide' } } : columns
  return [
    ...run.judgements.map(({ number, verdicts }) => ({
      name: scoresPart(number),
      write: (file: string) => writeParquet(file, sealedVerdictColumns, mapTable(verdicts, sealedVerdict)),
    })),
    {
      name: 'responses.parquet',
      write: file => writeParquet(file, sealedResponseColumns, mapTable(run.responses, sealedResponse)),
    },
    { name: 'failures.parquet', write: file => writeParquet(file, widen(failureColumns), run.failures()) },
    { name: 'inputs.parquet', write: file => writeParquet(file, widen(itemColumns), run.items()) },
    { name: 'preimages.parquet', write: file => writeParquet(file, preimageColumns, run.preimages()) },
  ]
}

/** Lists the files to write for an exported run. */
export function partDrafts(run: ExportedRun): readonly PartDraft[] {
  const stamps = new Map([
    ...run.judgements.map(({ number, stamp }) => [scoresPart(number), stamp] as const),
    ['preimages.parquet', preimageStamp(run)],
  ])
  return partTables(run).map(part => ({ ...part, stamp: stamps.get(part.name) ?? run.stamp }))
}

/** The stamp includes the judgements, because a judgement with other rules adds preimages. */
const preimageStamp = ({ stamp, judgements }: ExportedRun): string => {
  const rules = new Set(judgements.map(({ tasks }) => JSON.stringify(tasks)))
  return `${stamp} rules:${sha256([...rules].sort().join('\n'))}`
}

/** Loads the Parquet writer only when there is something to write, since most commands find a run already sealed. */
async function writeParquet<Row extends Flat<Row>>(
  file: string,
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenFile | undefined> {
  const parquet = await import('../../parquet/write.js')
  return parquet.writeParquet(file, columns, batches)
}

async function* mapTable<From, To>(table: Table<From>, map: (row: From) => To): AsyncGenerator<readonly To[]> {
  for await (const rows of table()) yield rows.map(map)
}

/** A written file of a bundle. */
export interface PartFile {
  readonly part: Part
  readonly path: string
}

/** Writes the parts that `intactParts` lacks into `folder`. A table without rows has no part. @returns all parts, sorted by name */
export async function writeParts(
  run: ExportedRun,
  folder: string,
  intactParts: ReadonlyMap<string, PartFile>,
): Promise<readonly PartFile[]> {
  const drafts = partDrafts(run).filter(({ name }) => !intactParts.has(name))
  return sortPartFiles([...intactParts.values(), ...(await writeOneByOne(drafts, folder))])
}

async function writeOneByOne(drafts: readonly PartDraft[], folder: string): Promise<readonly PartFile[]> {
  const files: PartFile[] = []
  for (const { name, write } of drafts) {
    const path = join(folder, name)
    files.push(...partFile(name, path, await write(path)))
  }
  return files
}

/** The number of docs above which writing a table takes longer than starting a thread. */
const threadsFrom = 30_000

/**
 * Like {@link writeParts}, for a run that gets no more rows. Large tables of a large run are written in parallel: one
 * here, the others in as many threads as memory allows. The files are the same, byte for byte.
 */
export async function writeFinishedParts(
  run: ExportedRun,
  folder: string,
  options: { readonly kept: ReadonlyMap<string, PartFile>; readonly location: string },
): Promise<readonly PartFile[]> {
  const { kept: intactParts, location } = options
  const docs = run.progress.reduce((sum, progress) => sum + progress.docs, 0)
  // Only compiled code can be started as a thread.
  if (docs < threadsFrom || !isBuilt) return writeParts(run, folder, intactParts)
  collectGarbage()
  const threads = threadsFor(process.memoryUsage.rss())
  if (threads === 0) return writeParts(run, folder, intactParts)
  const isApart = (name: string): boolean => name === 'responses.parquet' || name.startsWith('scores-')
  const drafts = partDrafts(run).filter(({ name }) => !intactParts.has(name))
  const apart = drafts.filter(({ name }) => isApart(name))
  const here = drafts.filter(({ name }) => !isApart(name))
  const jobs = apart.map(({ name }) => async () => {
    const path = join(folder, name)
    return partFile(name, path, await writePartInThread({ location, run: run.id, name, file: path }))
  })
  const [fromThreads, fromHere] = await Promise.all([inLanes(threads, jobs), writeOneByOne(here, folder)])
  return sortPartFiles([...intactParts.values(), ...fromThreads.flat(), ...fromHere])
}

const sortPartFiles = (files: readonly PartFile[]): readonly PartFile[] =>
  [...files].sort((a, b) => (a.part.name < b.part.name ? -1 : 1))

const partFile = (name: string, path: string, file: WrittenFile | undefined): readonly PartFile[] =>
  file === undefined ? [] : [{ part: { name, ...file }, path }]

/** Finds the parts of a sealed run that are intact and equal to what would be written now. */
export async function currentParts(
  run: ExportedRun,
  folder: string,
  sealed: Manifest | undefined,
): Promise<ReadonlyMap<string, PartFile>> {
  const current = new Map<string, PartFile>()
  if (sealed?.run.id !== run.id) return current
  for (const { name, stamp } of partDrafts(run)) {
    const part = sealed.parts.find(candidate => candidate.name === name)
    const path = join(folder, name)
    if (part !== undefined && sealed.stamps?.[name] === stamp && (await isWhole(path, part)))
      current.set(name, { part, path })
  }
  return current
}

/** Node's default of 64 kB a read costs more than the hashing. */
const chunkBytes = 1 << 20

/** Tells whether a file has the size and digest that the manifest states. */
export async function isWhole(path: string, part: Part): Promise<boolean> {
  try {
    if ((await stat(path)).size !== part.bytes) return false
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
  const hash = streamingSha256()
  const file = createReadStream(path, { highWaterMark: chunkBytes })
  for await (const chunk of file as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest() === part.digest
}

/** Reads the manifest of a sealed run. Returns undefined if it is missing or invalid; all parts are then written again. */
export async function readSeal(folder: string): Promise<Manifest | undefined> {
  try {
    return parseManifest(await readFile(join(folder, manifestName), 'utf8'))
  } catch (error) {
    if (error instanceof RangeError || systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
