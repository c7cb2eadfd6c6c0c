import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { processOwner } from '../../../base/processes/process-identity.js'
import { openPostgresStore } from '../../../cache/postgres/connection/open-postgres-store.js'
import type { Owner } from '../../../cache/store.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { storeConformance, type StoreWorld } from '../../support/store-conformance.js'
import { describeOwnAnswers } from '../../support/store-conformance/own-answers.js'
import { describeRepair } from '../../support/store-conformance/repair.js'

let cluster: Cluster
let emptier: Client

/** Deletes all rows and media, because creating the tables again for each test is slow. */
async function emptyStore(): Promise<void> {
  const { rows } = await emptier.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace('suite') AND relkind = 'r' AND relname NOT IN ('format', 'counter')",
  )
  // Foreign keys are not checked in this role.
  const statements = rows.map(({ name }) => `DELETE FROM suite.${name}`)
  await emptier.query(['SET session_replication_role = replica', ...statements].join(';'))
  for (const name of readdirSync(media())) if (name.length === 2) rmSync(join(media(), name), { recursive: true })
}

const media = (): string => join(cluster.folder, 'media-suite')

/** Each owner is a process that does nothing. */
async function postgresWorld(): Promise<StoreWorld> {
  const address = cluster.address('suite')
  await emptyStore()
  const children = new Map<string, ChildProcess>()
  const ownerOf = (name: string): Owner => {
    const child = children.get(name) ?? spawn('sleep', ['1000'], { stdio: 'ignore' })
    if (!children.has(name)) onTestFinished(() => void child.kill('SIGKILL'))
    children.set(name, child)
    return processOwner(child.pid ?? 0)
  }
  return {
    async open(name = 'first') {
      const store = await openPostgresStore(address, { access: 'write', self: ownerOf(name) })
      onTestFinished(() => store.close().catch(() => undefined))
      return store
    },
    async kill(name) {
      const child = children.get(name)
      const ended = child && once(child, 'exit')
      child?.kill('SIGKILL')
      await ended
    },
  }
}

describe.skipIf(withoutPostgres !== '')(`PostgreSQL${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
    await (await openPostgresStore(cluster.address('suite'), { access: 'write' })).close()
    emptier = new Client({ host: '127.0.0.1', port: cluster.port, user: 'postgres' })
    await emptier.connect()
  })
  afterAll(async () => {
    await emptier.end()
    await cluster.stop()
  })
  storeConformance(postgresWorld)
  describeOwnAnswers(postgresWorld)
  describeRepair(postgresWorld)
})
