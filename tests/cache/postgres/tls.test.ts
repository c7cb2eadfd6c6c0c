import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStore } from '../../../cache/open.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const why = withoutPostgres === '' && !hasOpenssl ? ' (skipped: no openssl is found)' : withoutPostgres

interface Certificate {
  readonly key: string
  readonly certificate: string
}

describe.skipIf(why !== '')(`TLS to PostgreSQL${why}`, () => {
  let cluster: Cluster
  let own: Certificate
  let other: Certificate
  const data = (): string => join(cluster.folder, 'server', 'data')

  const makeCertificate = (name: string, host: string): Certificate => {
    const [key, certificate] = [join(cluster.folder, `${name}.key`), join(cluster.folder, `${name}.crt`)]
    const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${host}`]
    const files = ['-keyout', key, '-out', certificate]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
      stdio: 'pipe',
    })
    return { key, certificate }
  }

  /** Changes the server's settings while it runs, and waits until they apply. */
  const configure = async (rule: 'hostssl' | 'host', shown: Certificate | undefined): Promise<void> => {
    const { uid, gid } = statSync(data())
    for (const [from, to] of [
      [shown?.key, 'server.key'],
      [shown?.certificate, 'server.crt'],
    ] as const) {
      if (from === undefined) continue
      copyFileSync(from, join(data(), to))
      chmodSync(join(data(), to), 0o600)
      chownSync(join(data(), to), uid, gid)
    }
    writeFileSync(join(data(), 'pg_hba.conf'), `${rule} all all 127.0.0.1/32 trust\n`)
    const before = cluster.sql('SELECT pg_conf_load_time()')
    cluster.sql(`ALTER SYSTEM SET ssl = ${shown === undefined ? 'off' : 'on'}`)
    cluster.sql('SELECT pg_reload_conf()')
    await vi.waitFor(() => expect(cluster.sql('SELECT pg_conf_load_time()')).not.toBe(before), { timeout: 30_000 })
  }

  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
    own = makeCertificate('own', 'DNS:localhost,IP:127.0.0.1')
    other = makeCertificate('other', 'DNS:elsewhere')
    await configure('hostssl', own)
  })
  afterAll(() => cluster.stop())

  /** Opens the store. @returns how its connection is encrypted */
  const open = async (parameters: string): Promise<string> => {
    const store = await openStore(cluster.address('tls', parameters))
    const text = cluster.sql(
      "SELECT s.ssl, s.version FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'pipeline'",
    )
    await store.close()
    return text.trim()
  }

  test.each(['require', 'verify-ca', 'verify-full'])('sslmode=%s encrypts the connection', async mode => {
    const root = mode === 'require' ? '' : `&sslrootcert=${own.certificate}`
    expect(await open(`&sslmode=${mode}${root}`)).toMatch(/^t\|TLSv1\.[23]$/)
  })

  test.each([
    ['', 'The server may want TLS: add sslmode=require'],
    ['&sslmode=verify-full', 'certificate that nobody vouches for'],
    ['&sslmode=verify-full&sslrootcert=OTHER', 'certificate that nobody vouches for'],
    ['&sslmode=verify-full&sslrootcert=/nowhere.crt', 'the file of sslrootcert, /nowhere.crt, cannot be read'],
    ['&sslmode=sometimes', '"sometimes" is no sslmode'],
  ])('rejects the parameters %j', async (parameters, message) => {
    const error: unknown = await open(parameters.replace('OTHER', other.certificate)).catch((met: unknown) => met)
    expect(error).toMatchObject({ name: 'PipelineError', message: expect.stringContaining(message) as string })
  })

  test("only verify-full checks the server's name against its certificate", async () => {
    await configure('hostssl', other)
    const root = `&sslrootcert=${other.certificate}`
    await expect(open(`&sslmode=verify-full${root}`)).rejects.toThrow('certificate of another server')
    expect(await open(`&sslmode=verify-ca${root}`)).toMatch(/^t\|/)
  })

  test('rejects a server without TLS if TLS is required', async () => {
    await configure('host', undefined)
    await expect(open('&sslmode=require')).rejects.toThrow('has no TLS')
    expect(await open('')).toMatch(/^f\|/)
  })
})
