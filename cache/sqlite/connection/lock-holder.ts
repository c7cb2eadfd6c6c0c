import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemCode } from '../../../base/errors/errors.js'
import type { Owner } from '../../store.js'
import { listAnnouncedOwners } from './presence-files.js'
import { databaseName } from './schema.js'
import { readText } from '../../../base/processes/process-identity.js'
import { isRunningHere, isSameMachine, ownerTimeoutMs, selectOwners, uptime, type SeenOwner } from './owners.js'

/** The holder of the lock on a store's database: a running process of this program, or another program. */
export type LockHolder = { readonly owner: Owner } | { readonly program?: string }

/** @param self this process, which may be the holder itself */
export function lockHolder(dir: string, self: Owner, now: number): LockHolder {
  const file = join(dir, databaseName)
  const ours = [...listAnnouncedOwners(dir, self, now), ...readOwners(file).filter(owner => isThere(owner, self))]
  const pids = lockingPids(['', '-wal', '-shm'].map(suffix => file + suffix))
  if (pids.length === 0) {
    const owner = ours.find(({ pid, host }) => pid !== self.pid || host !== self.host)
    return owner === undefined ? {} : { owner }
  }
  const owner = ours.find(({ pid, host }) => host === self.host && pids.includes(pid))
  return owner === undefined ? { program: describeProcess(pids[0]) } : { owner }
}

/**
 * Tells whether an owner may hold the lock. A holder may be stopped or busy and thus silent. Owners on other machines
 * are left out, since none of them can hold the lock for long.
 */
const isThere = (owner: SeenOwner, self: Owner): boolean =>
  owner.host === self.host
    ? isRunningHere(owner, self)
    : isSameMachine(owner, self) && Math.abs(uptime() - owner.seen) < ownerTimeoutMs

/** Reads the owners from the database. Returns none if it cannot be read now, or has no such table yet. */
function readOwners(file: string): readonly SeenOwner[] {
  try {
    const db = new Database(file, { readonly: true, timeout: 0 })
    try {
      return db.prepare<[], SeenOwner>(selectOwners).all()
    } finally {
      db.close()
    }
  } catch (error) {
    if (/^SQLITE_/.test(systemCode(error) ?? '')) return []
    throw error
  }
}

/** Finds the processes that hold a write lock on one of the files. Only Linux provides this list. */
function lockingPids(files: readonly string[]): readonly number[] {
  const inodes = files.flatMap(file => statSync(file, { throwIfNoEntry: false })?.ino ?? [])
  const locks = readText('/proc/locks') ?? ''
  return locks.split('\n').flatMap(line => {
    const [, pid, inode] = /^\d+: POSIX +\S+ +WRITE +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? []
    return inodes.includes(Number(inode)) ? [Number(pid)] : []
  })
}

function describeProcess(pid: number | undefined): string {
  const name = readText(`/proc/${pid ?? ''}/comm`)?.trim()
  return `${name === undefined ? '' : `${name}, `}process ${pid ?? ''}`
}
