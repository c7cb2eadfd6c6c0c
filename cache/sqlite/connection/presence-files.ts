import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from '../../store.js'
import { isRunningHere, ownerTimeoutMs, readText, type SeenOwner } from './owners.js'

const prefix = '.opening-'

/**
 * Says in the store's folder that this process is about to open or to close it: while the database is made, upgraded or put to
 * rest, its own table of owners can't be read, or does not have it yet. What killed ones left is removed.
 *
 * @returns what takes it back
 */
export function writePresenceFile(dir: string, self: Owner, now: number): () => void {
  const file = join(dir, `${prefix}${self.pid}-${self.startTime}`)
  const takeBack = (): void => {
    rmSync(file, { force: true })
  }
  try {
    announced(dir, self, now)
    writeFileSync(file, [self.host, self.bootId, self.pid, self.startTime, now].join('\n'))
    return takeBack
  } catch {
    // What is wrong with the folder the database says next, in its own words.
    return () => undefined
  }
}

/** Who has said so and lives. What others left is removed. */
export function announced(dir: string, self: Owner, now: number): readonly SeenOwner[] {
  const files = readdirSync(dir).filter(name => name.startsWith(prefix))
  return files.flatMap(name => {
    const owner = readPresenceFile(join(dir, name))
    if (owner === undefined) return []
    if (isRunningHere(owner, self) || isRecent(owner, self, now)) return [owner]
    rmSync(join(dir, name), { force: true })
    return []
  })
}

/** What another host says is of the time of day: it holds for so short a time that clocks that differ do little harm. */
const isRecent = ({ host, seen }: SeenOwner, self: Owner, now: number): boolean =>
  host !== self.host && seen + ownerTimeoutMs > now

/** @returns undefined where it was taken back meanwhile, or is being written */
function readPresenceFile(file: string): SeenOwner | undefined {
  const [host, bootId, pid, startTime, seen] = (readText(file) ?? '').split('\n')
  if (host === undefined || bootId === undefined || startTime === undefined || seen === undefined) return undefined
  return { host, bootId, pid: Number(pid), startTime, seen: Number(seen) }
}
