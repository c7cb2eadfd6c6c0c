import { join } from 'node:path'
import { messageOf, PipelineError } from '../base/errors/errors.js'
import { isPortableWhole, manifestName } from './bundle/manifest.js'
import { isWhole, readSeal } from './bundle/part-files.js'
import type { PortableStore } from './bundle/portable.js'
import { sealRun } from './bundle/seal.js'
import { sealedTables } from './bundle/parts.js'
import { verifyRows } from './bundle/verify-rows.js'
import { openStore, type LockListener } from './open.js'
import type { Store, VerifyReport } from './store.js'

/**
 * Checks the store in a folder; with `repair`, puts right or drops what is damaged. A database that can't be read is made
 * anew then, of the rows that still can be and of the tables of sealed runs: what was answered is kept wherever it still is.
 *
 * @throws PipelineError (store) where it can't be used, or not be read and is not to be repaired
 */
export async function verifyFolder(
  dir: string,
  { repair, waiting }: { readonly repair: boolean; readonly waiting?: LockListener },
): Promise<VerifyReport> {
  const open = (): ReturnType<typeof openStore> =>
    openStore(dir, { access: repair ? 'change' : 'read', ...(waiting && { waiting }) })
  const { DamagedDatabaseError, sealedRuns } = await import('./sqlite/repair/damaged-database.js')
  try {
    return await withStore(open, async store =>
      withSeals(store, await store.upkeep.verify({ repair }), sealedRuns(dir)),
    )
  } catch (error) {
    if (!repair || !(error instanceof DamagedDatabaseError)) throw error
    const { salvage } = await import('./sqlite/repair/salvage.js')
    const runs = sealedRuns(dir)
    const saved = await salvage(dir, { isSealed: runs.length > 0 })
    return withStore(open, async store => {
      const found = await store.upkeep.verify({ repair })
      const { sealed, unreadable } = await bringBack(store, runs)
      const report = await withSeals(store, found, runs)
      return {
        ...report,
        damaged: [{ kind: 'database', name: messageOf(error.cause ?? error) }, ...report.damaged],
        salvaged: { ...saved, sealed, unreadable },
      }
    })
  }
}

async function withStore<T>(
  open: () => Promise<Store & PortableStore>,
  work: (store: Store & PortableStore) => Promise<T>,
): Promise<T> {
  const store = await open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Merges the sealed tables of runs into the store. What is here already stays. */
async function bringBack(
  store: PortableStore,
  runs: readonly string[],
): Promise<{ readonly sealed: readonly string[]; readonly unreadable: readonly string[] }> {
  const sealed: string[] = []
  const unreadable: string[] = []
  for (const name of runs) {
    const folder = join(store.dir, 'runs', name)
    try {
      const manifest = await readSeal(folder)
      if (manifest === undefined) throw new PipelineError('bundle', `${folder}: its manifest is damaged`)
      const run = sealedTables(folder, folder, manifest)
      await verifyRows(folder, run)
      await store.importRun(run, 'keep-ours')
      sealed.push(name)
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      unreadable.push(error.message)
    }
  }
  return { sealed, unreadable }
}

/** The report with what is wrong with sealed tables, which a repair writes again where their run is whole. */
async function withSeals(
  store: Store & PortableStore,
  report: VerifyReport,
  folders: readonly string[],
): Promise<VerifyReport> {
  const damaged: { kind: string; name: string }[] = []
  let checked = 0
  const runs = report.repaired ? await store.runs.list() : []
  for (const name of folders) {
    const folder = join(store.dir, 'runs', name)
    const manifest = await readSeal(folder)
    const wrong = manifest === undefined ? [manifestName] : []
    for (const part of manifest?.parts ?? []) {
      checked += 1
      if (!(await isWhole(join(folder, part.name), part))) wrong.push(part.name)
    }
    damaged.push(...wrong.map(part => ({ kind: 'sealed table', name: join('runs', name, part) })))
    const run = wrong.length === 0 ? undefined : runs.find(one => one.name === name)
    if (run !== undefined && isPortableWhole(await store.exportRun(run))) await sealRun(store, run)
  }
  if (checked + damaged.length === 0) return report
  return {
    ...report,
    checked: { ...report.checked, 'sealed table': checked },
    damaged: [...report.damaged, ...damaged],
  }
}
