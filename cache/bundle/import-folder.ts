import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isProcessRunning, thisProcess } from '../sqlite/connection/owners.js'

/**
 * A folder in the store to unpack a bundle into, called by the process that has it. Those of processes of this host that are
 * gone, killed amid an import, are removed.
 */
export async function makeImportFolder(dir: string): Promise<string> {
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
