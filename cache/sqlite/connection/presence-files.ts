import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from '../../store.js'
import { readText } from '../../../base/processes/process-identity.js'
import { isRunningHere, ownerTimeoutMs, type SeenOwner } from './owners.js'

const prefix = '.opening-'

/**
 * Writes a file in the store's folder that shows that this process is opening or closing the database. Meanwhile the
 * table of owners may be unreadable or missing. Files of killed processes are removed.
 *
 * @returns a function that removes the file
 */
export function writePresenceFile(dir: string, self: Owner, now: number): () => void {
  const file = join(dir, `${prefix}${self.pid}-${self.startTime}`)
  const takeBack = (): void => {
    rmSync(file, { force: true })
  }
  try {
    listAnnouncedOwners(dir, self, now)
    writeFileSync(file, [self.host, self.bootId, self.pid, self.startTime, now].join('\n'))
    return takeBack
  } catch {
    // If the folder cannot be used, opening the database fails next, with a better message.
    return () => undefined
  }
}

/** Lists the running processes that have written a presence file, and removes the files of others. */
export function listAnnouncedOwners(dir: string, self: Owner, now: number): readonly SeenOwner[] {
  const files = readdirSync(dir).filter(name => name.startsWith(prefix))
  return files.flatMap(name => {
    const owner = readPresenceFile(join(dir, name))
    if (owner === undefined) return []
    if (isRunningHere(owner, self) || isRecent(owner, self, now)) return [owner]
    rmSync(join(dir, name), { force: true })
    return []
  })
}

/** The times of other hosts are times of day. Clocks that differ do little harm, because an entry is valid only briefly. */
const isRecent = ({ host, seen }: SeenOwner, self: Owner, now: number): boolean =>
  host !== self.host && seen + ownerTimeoutMs > now

/** @returns undefined if the file was removed meanwhile, or is being written */
function readPresenceFile(file: string): SeenOwner | undefined {
  const [host, bootId, pid, startTime, seen] = (readText(file) ?? '').split('\n')
  if (host === undefined || bootId === undefined || startTime === undefined || seen === undefined) return undefined
  return { host, bootId, pid: Number(pid), startTime, seen: Number(seen) }
}
