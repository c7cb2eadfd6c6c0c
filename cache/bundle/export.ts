import { isFolderSync } from '../../base/files/path-kinds.js'
import { accessSync, constants, createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { shownPath } from '../../base/files/shown-path.js'
import { FileError } from '../../base/files/files.js'
import { streamingSha256, type MediaDigest } from '../digest.js'
import { DamagedMediumError } from '../media/medium-errors.js'
import { sealFolder } from '../location.js'
import { writeAtomically } from '../media/atomic-file.js'
import type { Run } from '../records.js'
import type { MediumFile } from '../store.js'
import { isProcessRunning } from '../../base/processes/process-identity.js'
import { selectContent, type BundleContent } from './content.js'
import {
  judgeCallsPart,
  manifestName,
  makeManifest,
  manifestText,
  withContent,
  withJudgeCalls,
  withRemarks,
  type Manifest,
  type Part,
} from './manifest.js'
import { listRunMedia, mediumName } from './media.js'
import { currentParts, readSeal, writeParts, type PartFile } from './parts/part-files.js'
import type { ExportedRun, PortableStore } from './portable.js'
import { paddingAfter, tarHeader, trailer } from './tar.js'
import { makeFolder } from '../make-folder.js'
import { bundleFile, checkOutputFile } from '../output-path.js'

type Write = (bytes: Uint8Array) => Promise<void>

/**
 * Writes a run to one file: a plain tar with the manifest, the Parquet tables and, with `media`, the media of its inputs. Its manifest has the labels
 * and tags. The same rows give the same bytes. The file appears under its name only when it is complete. An unfinished run is exported in its current
 * state, and the returned manifest has `partial`. `only` restricts the content.
 *
 * @throws PipelineError (bundle) if a medium is missing or damaged, (usage) if the file cannot be written
 */
export async function exportRun(
  store: PortableStore,
  run: Run,
  target: { readonly file: string; readonly media: boolean; readonly only?: BundleContent | undefined },
): Promise<Manifest> {
  const { only } = target
  if (only === 'scores' && target.media)
    throw new PipelineError('usage', `${option('only', 'scores')} leaves media out: leave ${option('media')} out, too`)
  const file = checkTarget(target.file, store.location)
  const temporary = await temporaryFolder(file)
  try {
    const exported = selectContent(await store.exportRun(run), only)
    const sealed = sealFolder(store, run)
    // Sealed scores have texts.
    const seal = only === 'scores' ? undefined : await readSeal(sealed)
    const current = await currentParts(exported, sealed, seal)
    const parts = await writeParts(exported, temporary, current)
    const calls = (await exported.judgeCalls?.()) ?? []
    const judgeCalls = await writeJudgeCalls(calls, temporary)
    const media = target.media ? await listMedia([exported, ...calls]) : []
    const remarks = (await exported.remarks?.()) ?? { labels: [], tags: [] }
    const tables = { ...makeManifest(exported, listParts(parts)), media: media.length }
    const whole = withJudgeCalls(withRemarks(tables, remarks), listParts(judgeCalls))
    const manifest = withContent(whole, only)
    await writeAtomically(file, async write => {
      await writeManifest(write, manifest)
      for (const part of [...parts, ...judgeCalls]) await writePart(write, part)
      for (const digest of media) await writeMedium(write, store, digest)
      await write(trailer)
    })
    return manifest
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Writes the requests to each judge model as a nested bundle, so that judging elsewhere finds the replies. */
async function writeJudgeCalls(calls: readonly ExportedRun[], folder: string): Promise<readonly PartFile[]> {
  const files: PartFile[] = []
  for (const [index, run] of calls.entries()) {
    const name = judgeCallsPart(index + 1)
    const path = join(folder, name)
    const tables = `${path}.parts`
    makeFolder(tables)
    const parts = await writeParts(run, tables, new Map())
    await writeAtomically(path, async write => {
      await writeManifest(write, makeManifest(run, listParts(parts)))
      for (const part of parts) await writePart(write, part)
      await write(trailer)
    })
    const rows = parts.find(({ part }) => part.name === 'inputs.parquet')?.part.rows ?? 0
    const { digest, bytes } = await digestFile(path)
    files.push({ part: { name, digest, bytes, rows }, path })
  }
  return files
}

const listParts = (files: readonly PartFile[]): readonly Part[] => files.map(({ part }) => part)

async function listMedia(runs: readonly ExportedRun[]): Promise<readonly MediaDigest[]> {
  const digests = new Set<MediaDigest>()
  for (const run of runs) for (const digest of await listRunMedia(run)) digests.add(digest)
  return [...digests].sort()
}

/**
 * Makes the folder for a new bundle file, if it does not exist.
 *
 * @param store the location of the store whose run is written
 * @returns the path of the file behind symbolic links
 * @throws PipelineError (usage) if the file cannot be written there, or may not be replaced
 */
export function checkTarget(file: string, store: string): string {
  try {
    if (isFolderSync(file))
      throw new PipelineError('usage', `${file} is a folder: name a file, such as ${join(file, 'run.pipeline')}`)
    const target = checkOutputFile({ path: file, label: option('output', shownPath(file)), store }, bundleFile)
    makeFolder(dirname(file))
    accessSync(dirname(target), constants.W_OK)
    return target
  } catch (error) {
    throw notWritten(file, error)
  }
}

const notWritten = (file: string, error: unknown): unknown =>
  error instanceof PipelineError || systemCode(error) === undefined
    ? error
    : new PipelineError('usage', `${file} can't be written${formatReason(error)}`, { cause: error })

const formatReason = (error: unknown): string =>
  error instanceof FileError ? `: ${error.message}` : ` (${systemCode(error) ?? ''})`

/** Makes a temporary folder beside the file, since a disk with room for the bundle has room for its parts. */
async function temporaryFolder(file: string): Promise<string> {
  try {
    await removeLeftovers(file)
    return await mkdtemp(join(dirname(file), `.${basename(file)}.parts-${process.pid}-`))
  } catch (error) {
    throw notWritten(file, error)
  }
}

/** Removes temporary folders that killed processes left beside this file. */
async function removeLeftovers(file: string): Promise<void> {
  const start = `.${basename(file)}.`
  for (const name of await readdir(dirname(file))) {
    if (!name.startsWith(start)) continue
    const [, parts, temporary] = /^(?:parts-(\d+)-\w+|(\d+)\.\d+\.tmp)$/.exec(name.slice(start.length)) ?? []
    const pid = parts ?? temporary
    if (pid !== undefined && !isProcessRunning({ pid: Number(pid), startTime: 'unknown' }))
      await rm(join(dirname(file), name), { recursive: true, force: true })
  }
}

async function writeManifest(write: Write, manifest: Manifest): Promise<void> {
  const content = Buffer.from(manifestText(manifest))
  await write(tarHeader(manifestName, content.length))
  await write(content)
  await write(Buffer.alloc(paddingAfter(content.length)))
}

async function writePart(write: Write, { part, path }: PartFile): Promise<void> {
  await write(tarHeader(part.name, part.bytes))
  if ((await copy(path, write)) !== part.digest) throw new Error(`${path} changed while it was exported`)
  await write(Buffer.alloc(paddingAfter(part.bytes)))
}

async function writeMedium(write: Write, store: PortableStore, digest: MediaDigest): Promise<void> {
  await using file = await openMedium(store, digest)
  const bytes = await readMediumSize(file.path, digest)
  await write(tarHeader(mediumName(digest), bytes))
  if ((await copy(file.path, write)) !== digest) throw damagedError(digest)
  await write(Buffer.alloc(paddingAfter(bytes)))
}

async function readMediumSize(path: string, digest: MediaDigest): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    throw explainMissing(digest, error)
  }
}

async function openMedium({ media }: PortableStore, digest: MediaDigest): Promise<MediumFile> {
  try {
    return await media.openFile(digest)
  } catch (error) {
    throw error instanceof DamagedMediumError ? damagedError(digest, error) : explainMissing(digest, error)
  }
}

const damagedError = (digest: MediaDigest, cause?: unknown): PipelineError =>
  new PipelineError(
    'bundle',
    `medium ${digest} is damaged in the store. Nothing was exported; see: ${command('cache verify')}`,
    { cause, reason: 'medium-damaged', data: { medium: digest } },
  )

const explainMissing = (digest: MediaDigest, error: unknown): unknown =>
  systemCode(error) === 'ENOENT'
    ? new PipelineError(
        'bundle',
        `medium ${digest} is not in the store. Nothing was exported; without ${option('media')} the run can be exported.`,
        { cause: error, reason: 'medium-missing', data: { medium: digest } },
      )
    : error

async function digestFile(path: string): Promise<Pick<Part, 'digest' | 'bytes'>> {
  const { size: bytes } = await stat(path)
  return { digest: await copy(path, () => Promise.resolve()), bytes }
}

/** @returns the digest of the copied bytes */
async function copy(path: string, write: Write): Promise<string> {
  const hash = streamingSha256()
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    await write(chunk)
  }
  return hash.digest()
}
