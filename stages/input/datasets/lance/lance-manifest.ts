import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { systemCode } from '../../../../base/errors.js'

/**
 * The file that says what a Lance table holds at its newest version: its digest stands for the data, whose files are never
 * changed once written.
 *
 * @returns undefined where the folder is no Lance table.
 */
export async function newestManifest(folder: string): Promise<string | undefined> {
  const versions = join(folder, '_versions')
  const names = await readdir(versions).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw error
  })
  const [newest] = names.filter(name => /^\d+\.manifest$/.test(name)).sort((a, b) => versionOf(b) - versionOf(a))
  return newest === undefined ? undefined : join(versions, newest)
}

/** The version that a manifest is of. Newer tables count down from 2^64 - 1 in twenty digits, so that a listing begins with the newest. */
export function versionOf(manifest: string): number {
  const digits = basename(manifest, '.manifest')
  return Number(digits.length === 20 ? 2n ** 64n - 1n - BigInt(digits) : BigInt(digits))
}
