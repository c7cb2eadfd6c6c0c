import { rm, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { command, option } from '../../base/errors/option-words.js'
import { makeFolder } from '../make-folder.js'
import { readMedium, unpackBundle } from './bundle-file.js'
import type { Manifest } from './manifest.js'
import type { ImportOutcome, OnConflict, PortableRun, PortableStore } from './portable.js'
import { sealedTables } from './parts/parts.js'
import { verifyRows } from './verify-rows.js'
import { isProcessRunning, thisProcess } from '../../base/processes/process-identity.js'

/**
 * Merges a bundle into a store. The whole bundle is verified before anything changes. Scoring code in it is stored and
 * not run. Importing a bundle twice, or two bundles in either order, gives the same store.
 *
 * @throws PipelineError (bundle) if the file is damaged or not a bundle, or if a key has other content in this store
 */
export async function importBundle(
  store: PortableStore,
  file: string,
  options: { readonly onConflict: OnConflict },
): Promise<ImportOutcome> {
  const folder = await makeImportFolder(store.workFolder)
  try {
    const { manifest, media, judgeCalls } = await unpackBundle(file, folder)
    if (manifest.content === 'scores') throw refuseScores(file, manifest)
    const calls = judgeCalls.map(unpacked => sealedTables(unpacked.source, unpacked.folder, unpacked.manifest))
    const run: PortableRun = {
      ...sealedTables(file, folder, manifest),
      ...(calls.length > 0 && { judgeCalls: () => Promise.resolve(calls) }),
    }
    await verifyRows(file, run)
    for (const [index, { source }] of judgeCalls.entries()) if (calls[index]) await verifyRows(source, calls[index])
    const outcome = await store.importRun(run, options.onConflict)
    for (const medium of media) {
      if (await store.media.has(medium.digest)) continue
      const { digest } = await store.media.addBytes(await readMedium(file, medium))
      if (digest !== medium.digest) throw new PipelineError('bundle', `${file} changed while it was imported`)
    }
    return outcome
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const refuseScores = (file: string, { run }: Manifest): PipelineError =>
  new PipelineError(
    'bundle',
    [
      `${file} holds scores of ${run.name} alone, without docs and answers: it can't become a run of a store, and can't be judged.`,
      `  Compare with it:      ${option('baseline', 'FILE')} of ${command('eval')}, ${command('judge')} and ${command('report')}`,
      `  Read it elsewhere:    tar -xf FILE gives manifest.json and scores-1.parquet`,
      `  To import it, ask for a file that was exported without ${option('only', 'scores')}.`,
    ],
    { reason: 'bundle-scores', data: { file, run: run.name } },
  )

/**
 * Makes a folder inside the store's work folder to unpack a bundle into, named by this process. Folders that killed processes of this
 * host left behind are removed.
 */
export async function makeImportFolder(dir: string): Promise<string> {
  // The work folder of a store on a server does not exist before something is written to it.
  makeFolder(dir)
  const { host, pid, startTime } = thisProcess()
  for (const name of await readdir(dir)) {
    const owner = importFolder.exec(name)?.groups
    if (owner?.['host'] !== host) continue
    if (isProcessRunning({ pid: Number(owner['pid']), startTime: owner['start'] ?? '' })) continue
    await rm(join(dir, name), { recursive: true, force: true })
  }
  return mkdtemp(join(dir, `.import-${host}-${pid}-${startTime}-`))
}

const importFolder = /^\.import-(?<host>.+)-(?<pid>\d+)-(?<start>\d+|unknown)-\w{6}$/
