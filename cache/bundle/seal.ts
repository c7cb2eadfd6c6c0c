import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { sealFolder } from '../location.js'
import { syncFolder, writeAtomically } from '../media/atomic-file.js'
import type { Run } from '../records.js'
import { isProcessRunning } from '../../base/processes/process-identity.js'
import { isPortableWhole, manifestName, makeManifest, manifestText, type Manifest } from './manifest.js'
import { currentParts, partDrafts, readSeal, writeFinishedParts } from './parts/part-files.js'
import type { ExportedRun, PortableStore } from './portable.js'
import { makeFolder } from '../make-folder.js'

/**
 * Writes a finished run as Parquet tables with a manifest to `runs/<run name>/`. After another judgement, a second call
 * adds that judgement's part. Parts that are still current are not written again.
 *
 * Each part appears only when it is complete, and the manifest is written last. Sealing that was interrupted is
 * therefore repeated, and two processes that seal at once produce the same files.
 *
 * @throws PipelineError (store) if items of the run are pending
 */
export async function sealRun(store: PortableStore, run: Run): Promise<Manifest> {
  const exported = await store.exportRun(run)
  if (!isPortableWhole(exported))
    throw new PipelineError(
      'store',
      `run ${run.name} can't be sealed: ${exported.pending} of its items are pending. Resume it first: ${command('resume', [run.name])}`,
      { reason: 'run-pending', data: { run: run.name, pending: exported.pending } },
    )
  const folder = sealFolder(store, run)
  makeFolder(folder)
  const before = await readSeal(folder)
  const current = await currentParts(exported, folder, before)
  const isReplaced = before?.parts.some(part => !current.has(part.name)) ?? false
  // Until the new manifest is written, the run is not sealed.
  if (isReplaced) await breakSeal(folder)
  const files = await writeFinishedParts(exported, folder, { kept: current, location: store.location })
  const manifest = {
    ...makeManifest(
      exported,
      files.map(({ part }) => part),
    ),
    stamps: collectStamps(exported),
  }
  await writeManifest(folder, manifest)
  await removeLeftovers(folder, new Set(files.map(({ part }) => part.name)))
  return manifest
}

/** Removes the sealed tables of a run. Other files in the folder belong to users and stay. */
export async function removeSeal(store: Pick<PortableStore, 'workFolder'>, run: Pick<Run, 'name'>): Promise<void> {
  const folder = sealFolder(store, run)
  if (!existsSync(folder)) return
  await breakSeal(folder)
  await removeLeftovers(folder, new Set())
  if ((await readdir(folder)).length === 0) await rmdir(folder)
}

const collectStamps = (run: ExportedRun): Record<string, string> =>
  Object.fromEntries(partDrafts(run).map(({ name, stamp }) => [name, stamp]))

async function breakSeal(folder: string): Promise<void> {
  await rm(join(folder, manifestName), { force: true })
  await syncFolder(folder)
}

const writeManifest = (folder: string, manifest: Manifest): Promise<void> =>
  writeAtomically(join(folder, manifestName), write => write(Buffer.from(manifestText(manifest))))

/** Removes leftovers of killed processes, and parts that have no rows any more. Other files belong to users and stay. */
async function removeLeftovers(folder: string, parts: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const temporary = /^\.(?:[\w-]+\.parquet|manifest\.json)\.(\d+)\.\d+\.tmp$/.exec(name)
    const isAbandoned = temporary !== null && !isProcessRunning({ pid: Number(temporary[1]), startTime: 'unknown' })
    const isOutdated = /^(scores-\d+|inputs|responses|failures|preimages)\.parquet$/.test(name) && !parts.has(name)
    if (isAbandoned || isOutdated) await rm(join(folder, name), { force: true })
  }
}
