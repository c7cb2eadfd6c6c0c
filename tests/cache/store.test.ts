import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../cache/sqlite/connection/open-sqlite-store.js'
import { processOwner } from '../../base/processes/process-identity.js'
import type { Owner, Store } from '../../cache/store.js'
import { MemoryData } from '../support/memory-data.js'
import { MemoryStore } from '../support/memory-store.js'
import { temporaryFolder } from '../support/store.js'
import { storeConformance, type StoreWorld } from '../support/store-conformance.js'
import { describeOwnAnswers } from '../support/store-conformance/own-answers.js'
import { describeRepair } from '../support/store-conformance/repair.js'

const closedAfterTest = <S extends Store>(store: S): S => {
  onTestFinished(() => store.close().catch(() => undefined))
  return store
}

/** Each owner is a process that does nothing. */
async function sqliteWorld(): Promise<StoreWorld> {
  const dir = await temporaryFolder()
  // The clock does not move, so that no order can depend on it.
  const now = Date.now()
  const children = new Map<string, ChildProcess>()
  const ownerOf = (name: string): Owner => {
    const child =
      children.get(name) ?? spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'ignore' })
    if (!children.has(name)) onTestFinished(() => void child.kill('SIGKILL'))
    children.set(name, child)
    return processOwner(child.pid ?? 0)
  }
  return {
    async open(name = 'first') {
      const self = ownerOf(name)
      return closedAfterTest(await openSqliteStore(dir, { access: 'write', now: () => now, self }))
    },
    async kill(name) {
      const child = children.get(name)
      const ended = child && once(child, 'exit')
      child?.kill('SIGKILL')
      await ended
    },
  }
}

function memoryWorld(): Promise<StoreWorld> {
  const data = new MemoryData()
  return Promise.resolve({
    open: (name = 'first') => Promise.resolve(closedAfterTest(new MemoryStore(data, name))),
    kill: name => Promise.resolve(data.kill(name)),
  })
}

describe('SQLite', () => {
  storeConformance(sqliteWorld)
  describeOwnAnswers(sqliteWorld)
  describeRepair(sqliteWorld)
})
describe('memory', () => storeConformance(memoryWorld))
