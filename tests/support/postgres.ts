import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const debian = '/usr/lib/postgresql'

/** The folder with the programs of PostgreSQL's server, of the newest version. Undefined if it is not installed. */
function findPrograms(): string | undefined {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folder = versions.map(version => join(debian, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
  if (folder !== undefined) return folder
  const found = spawnSync('sh', ['-c', 'dirname "$(command -v initdb)"'], { encoding: 'utf8' }).stdout.trim()
  return existsSync(join(found, 'initdb')) ? found : undefined
}

/** The server refuses to run as root, so root starts it as another user. */
function findUser(): { readonly uid: number; readonly gid: number } | undefined {
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .find(([name]) => name === 'postgres' || name === 'nobody')
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) }
}

const programs = findPrograms()
const isRoot = process.getuid?.() === 0
const user = isRoot && programs !== undefined ? findUser() : undefined

/** Says in the names of tests why they are skipped. Empty if the server can be started. */
export const withoutPostgres =
  programs === undefined
    ? ' (skipped: no initdb is found; install postgresql)'
    : isRoot && user === undefined
      ? ' (skipped: root cannot start the server, and there is no user postgres)'
      : ''

/** A server of PostgreSQL with a data folder of its own. */
export interface Cluster {
  readonly port: number
  /** The number of the server's main process. */
  readonly pid: number
  /** The folder for media folders. */
  readonly folder: string
  /** The address of a store in a schema of its own. */
  address(schema: string, parameters?: string): string
  /** Runs SQL as the superuser, and returns what psql prints. */
  sql(text: string): string
  /** Ends the server at once, as if the machine had crashed. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Makes each commit wait from now on, as a disk does that stalls. It waits for a standby that does not exist, and its locks stay. */
  stall(): void
  /** Ends the wait of all commits. */
  endStall(): void
  /** Counts the commits that wait. */
  countStalled(): number
  /** Makes a base backup of the running server, with the log that is written meanwhile. */
  backUp(): void
  /** Ends the server at once and puts the last base backup in the place of its files. */
  restore(): Promise<void>
  /** Ends the server and removes its data. */
  stop(): Promise<void>
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts a server. It is as fast as it can be, and loses data when the machine crashes, but not when it is killed.
 *
 * @param options.settings of the server, over those of tests
 * @param options.isWorkingDirectory true if this process opens stores of it, whose local files are below the working directory
 */
export async function startCluster({
  settings: given = [],
  isWorkingDirectory = false,
}: { readonly settings?: readonly string[]; readonly isWorkingDirectory?: boolean } = {}): Promise<Cluster> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-postgres-'))
  const [data, backup] = [join(folder, 'server', 'data'), join(folder, 'server', 'backup')]
  mkdirSync(join(folder, 'server'))
  if (user !== undefined) for (const path of [folder, join(folder, 'server')]) chownSync(path, user.uid, user.gid)
  const options = { cwd: '/', ...user, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } }
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'],
    { ...options, stdio: 'pipe' },
  )
  const port = await findFreePort()
  let server: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'],
      ...['full_page_writes=off', 'shared_buffers=32MB', 'autovacuum=off', 'log_min_messages=fatal'],
      ...given,
    ]
    server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap(setting => ['-c', setting])], {
      ...options,
      stdio: 'ignore',
    })
    for (let attempt = 0; attempt < 300; attempt++) {
      const ready = spawnSync(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], options)
      if (ready.status === 0) return
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    throw new Error('the server does not start')
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = server
    server = undefined
    if (running?.exitCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
  }
  const sql = (text: string): string => {
    const line = ['-X', '-A', '-t', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1']
    return execFileSync(join(programs, 'psql'), [...line, '-c', text, 'postgres'], { ...options, encoding: 'utf8' })
  }
  const awaitStandby = (names: string): void => {
    sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    sql('SELECT pg_reload_conf()')
  }
  await start()
  const before = process.cwd()
  if (isWorkingDirectory) process.chdir(folder)
  return {
    port,
    folder,
    get pid() {
      return server?.pid ?? 0
    },
    address: (schema, parameters = '') =>
      `postgres://postgres@127.0.0.1:${port}/postgres?media=${join(folder, `media-${schema}`)}&schema=${schema}${parameters}`,
    sql,
    stall: () => awaitStandby('none'),
    endStall: () => awaitStandby(''),
    countStalled: () => Number(sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")),
    // SIGQUIT is the server's immediate shutdown, after which it recovers from its log.
    kill: () => end('SIGQUIT'),
    start,
    backUp: () => {
      const line = [
        '-D',
        backup,
        '-X',
        'stream',
        '-c',
        'fast',
        '-N',
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'postgres',
      ]
      execFileSync(join(programs, 'pg_basebackup'), line, { ...options, stdio: 'pipe' })
    },
    async restore() {
      await end('SIGQUIT')
      rmSync(data, { recursive: true })
      renameSync(backup, data)
    },
    async stop() {
      process.chdir(before)
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
