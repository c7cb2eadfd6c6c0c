import { join } from 'node:path'
import { messageOf, PipelineError, formatErrorText } from '../../../base/errors/errors.js'
import { isPortableWhole, manifestName } from '../../bundle/manifest.js'
import { isWhole, readSeal } from '../../bundle/parts/part-files.js'
import type { PortableStore } from '../../bundle/portable.js'
import { sealRun } from '../../bundle/seal.js'
import { sealedTables } from '../../bundle/parts/parts.js'
import { verifyRows } from '../../bundle/verify-rows.js'
import { sealFolder } from '../../location.js'
import type { Store, VerifyReport } from '../../store.js'
import type { LockListener } from '../../store/opening.js'
import { openSqliteStore } from '../connection/open-sqlite-store.js'
import { DamagedDatabaseError, sealedRuns } from './damaged-database.js'

/** Options of a check. */
export interface VerifyOptions {
  readonly repair: boolean
  readonly waiting?: LockListener
}

/**
 * Checks the store in a folder. `repair` repairs or deletes damaged parts. It makes an unreadable database anew from
 * its readable rows and from the tables of sealed runs, so that every answer that still exists is kept.
 *
 * @throws PipelineError (store) if the store cannot be used, or if the database is unreadable and `repair` is off
 */
export async function verifyFolder(
  dir: string,
  { repair, now, waiting }: VerifyOptions & { readonly now: () => number },
): Promise<VerifyReport> {
  const open = (): ReturnType<typeof openSqliteStore> =>
    openSqliteStore(dir, { access: repair ? 'change' : 'read', now, ...(waiting && { waiting }) })
  try {
    return await withStore(open, async store =>
      withSeals(store, await store.upkeep.verify({ repair }), sealedRuns(dir)),
    )
  } catch (error) {
    if (!repair || !(error instanceof DamagedDatabaseError)) throw error
    const { salvage } = await import('./salvage.js')
    const runs = sealedRuns(dir)
    const saved = await salvage(dir, { isSealed: runs.length > 0 })
    return withStore(open, async store => {
      const storeReport = await store.upkeep.verify({ repair })
      const { sealed, unreadable } = await bringBack(store, runs)
      const report = await withSeals(store, storeReport, runs)
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

/** Merges the sealed tables of runs into the store. Existing rows stay. */
async function bringBack(
  store: PortableStore,
  runs: readonly string[],
): Promise<{ readonly sealed: readonly string[]; readonly unreadable: readonly string[] }> {
  const sealed: string[] = []
  const unreadable: string[] = []
  for (const name of runs) {
    const folder = sealFolder(store, { name })
    try {
      const manifest = await readSeal(folder)
      if (manifest === undefined) throw new PipelineError('bundle', `${folder}: its manifest is damaged`)
      const run = sealedTables(folder, folder, manifest)
      await verifyRows(folder, run)
      await store.importRun(run, 'keep-ours')
      sealed.push(name)
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      unreadable.push(formatErrorText(error))
    }
  }
  return { sealed, unreadable }
}

/** Adds the damage of sealed tables to the report. A repair writes them again if their run is complete. */
async function withSeals(
  store: Store & PortableStore,
  report: VerifyReport,
  folders: readonly string[],
): Promise<VerifyReport> {
  const damaged: { kind: string; name: string }[] = []
  let checked = 0
  const runs = report.repaired ? await store.runs.list() : []
  for (const name of folders) {
    const folder = sealFolder(store, { name })
    const manifest = await readSeal(folder)
    const wrong = manifest === undefined ? [manifestName] : []
    for (const part of manifest?.parts ?? []) {
      checked += 1
      if (!(await isWhole(join(folder, part.name), part))) wrong.push(part.name)
    }
    damaged.push(...wrong.map(part => ({ kind: 'sealed table', name: join('runs', name, part) })))
    const run = wrong.length === 0 ? undefined : runs.find(sealedRun => sealedRun.name === name)
    if (run !== undefined && isPortableWhole(await store.exportRun(run))) await sealRun(store, run)
  }
  if (checked + damaged.length === 0) return report
  return {
    ...report,
    checked: { ...report.checked, 'sealed table': checked },
    damaged: [...report.damaged, ...damaged],
  }
}
