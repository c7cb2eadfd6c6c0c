import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../../../cache/open.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { answerAll, askedRun } from '../../support/store-conformance/scene.js'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(existsSync)
const why = program === undefined ? ' (skipped: install pgbouncer)' : withoutPostgres

describe.skipIf(why !== '')(`a store behind PgBouncer${why}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  /** Starts a pooler. @returns the address of a store behind it */
  async function startPooler(mode: string, settings: readonly string[] = []): Promise<string> {
    const reserved = createServer().listen(0, '127.0.0.1')
    await once(reserved, 'listening')
    const { port } = reserved.address() as AddressInfo
    reserved.close()
    await once(reserved, 'close')
    const folder = join(cluster.folder, `pooler-${port}`)
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const lines = [
      ...[
        '[databases]',
        `* = host=127.0.0.1 port=${cluster.port}`,
        '[pgbouncer]',
        'listen_addr=127.0.0.1',
        `listen_port=${port}`,
      ],
      ...['auth_type=trust', `auth_file=${folder}/users`, `pool_mode=${mode}`, 'unix_socket_dir=', ...settings],
    ]
    writeFileSync(join(folder, 'users'), '"postgres" ""\n')
    writeFileSync(join(folder, 'ini'), lines.join('\n'))
    const isRoot = process.getuid?.() === 0
    const pooler: ChildProcess = spawn(
      program ?? '',
      ['-q', ...(isRoot ? ['-u', 'postgres'] : []), join(folder, 'ini')],
      { stdio: 'ignore' },
    )
    onTestFinished(async () => {
      pooler.kill('SIGKILL')
      await once(pooler, 'exit')
    })
    await vi.waitFor(() => execFileSync('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)]), {
      timeout: 20_000,
    })
    return cluster.address(`pool${port}`).replace(`:${cluster.port}/`, `:${port}/`)
  }

  test.each([
    ['that drops start-up parameters', ['ignore_startup_parameters=options']],
    ['that refuses start-up parameters', []],
    ['that has one connection', ['default_pool_size=1']],
  ])('works in session mode, with a pooler %s', async (_, settings) => {
    const address = await startPooler('session', settings)
    const store = await openStore(address)
    onTestFinished(() => store.close().catch(() => undefined))
    const run = await askedRun(store, 3)
    await answerAll(store, run)
    expect(await store.runs.counts(run)).toMatchObject({ answered: 3, pending: 0 })
    await store.close()
    const reader = await openStore(address, { access: 'read' })
    expect(await reader.runs.list()).toHaveLength(1)
    await reader.close()
  })

  test.each(['transaction', 'statement'])('is refused in the mode %s, with the mode that works', async mode => {
    const address = await startPooler(mode, ['ignore_startup_parameters=options'])
    for (const access of ['write', 'read'] as const)
      await expect(openStore(address, { access })).rejects.toThrow(
        /is behind a connection pooler that shares connections between transactions.*Use pool_mode=session/,
      )
    const schema = new URL(address).searchParams.get('schema')
    expect(cluster.sql(`SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`)).toBe('0\n')
    expect(cluster.sql("SELECT to_regclass('public.format') IS NULL")).toBe('t\n')
  })
})
