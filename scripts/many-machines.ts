/**
 * Measures many processes on one store: `tsx scripts/many-machines.ts limit 16 100` (processes, and the requests a second that a server takes by tokens) and
 * `tsx scripts/many-machines.ts scale postgres|sqlite SAMPLES PROCESSES` (the dummy model). Needs a build, and PostgreSQL's server.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trivialTask } from '../bench/trivial-task.js'
import { startCluster, type Cluster } from '../tests/support/postgres.js'

const program = join(import.meta.dirname, '../dist/src/cli/bin.js')
// The built one, because it starts its own built server.
const loopback = join(import.meta.dirname, '../dist/bench/loopback.js')
const { startLoopback } = (await import(loopback)) as typeof import('../bench/loopback.js')
// Threads of the index are built files.
const built = (path: string): Promise<unknown> => import(join(import.meta.dirname, '../dist', path))
const { openStore } = (await built('cache/open.js')) as typeof import('../cache/open.js')
const { openRun } = (await built(
  'src/reading/runs/run-reference.js',
)) as typeof import('../src/reading/runs/run-reference.js')
const { kindTest } = (await built(
  'src/reading/samples/sample-kinds.js',
)) as typeof import('../src/reading/samples/sample-kinds.js')
const [what, ...args] = process.argv.slice(2)

interface Finished {
  readonly seconds: number
  /** The CPU time of all processes, in seconds. */
  readonly cpu: number
}

/** Runs the same line in several processes, each in a folder of its own. */
async function runTogether(folder: string, line: readonly string[], processes: number): Promise<Finished> {
  const began = performance.now()
  const cpus = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const cwd = mkdtempSync(join(folder, `process-${index}-`))
      const report = join(cwd, 'times')
      const child = spawn(
        'bash',
        ['-c', 'TIMEFORMAT="%U %S"; { time "$@" 2>errors; } 2>times', 'bash', process.execPath, program, ...line],
        { cwd, stdio: 'ignore' },
      )
      const [code] = (await once(child, 'exit')) as [number]
      if (code !== 0) throw new Error(`exit code ${code}: ${readFileSync(join(cwd, 'errors'), 'utf8')}`)
      return readFileSync(report, 'utf8')
        .trim()
        .split(' ')
        .map(Number)
        .reduce((sum, part) => sum + part, 0)
    }),
  )
  return { seconds: (performance.now() - began) / 1_000, cpu: cpus.reduce((sum, part) => sum + part, 0) }
}

const clockTicks = 100

/** The CPU time that the server's processes have used, in seconds, those included that ended. */
function readServerCpu({ pid }: Cluster): number {
  const stat = (path: string): number => {
    const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / clockTicks
  }
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [String(pid), ...children].reduce((sum, id) => sum + stat(`/proc/${id}/stat`), 0)
}

const folderBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

/** A server with many rows needs statistics to find them well. */
const settings = ['autovacuum=on', 'autovacuum_naptime=10s', 'shared_buffers=256MB']

async function measureLimit(folder: string, processes: number, limit: number): Promise<void> {
  const cluster = await startCluster({ settings })
  const server = await startLoopback({ kind: 'rate-limit', perSecond: limit, burst: limit / 5 })
  try {
    const task = await trivialTask(folder, 80 * limit)
    const model = `model=bench,base_url=${server.origin}/v1`
    const line = ['eval', '--model', 'openai', '--model-args', model, '--tasks', task.name]
    await runTogether(
      folder,
      [...line, '--include-path', task.folder, '--store', cluster.address('rates'), '--quiet'],
      processes,
    )
    const log = await server.log()
    const end = Math.max(...log.map(([at]) => at))
    for (const [from, to] of [
      [0, 30_000],
      [30_000, end - 2_000],
      [0, end],
    ] as const) {
      const part = log.filter(([at]) => at >= from && at < to)
      const refused = part.filter(([, status]) => status === 429).length
      console.log(
        `${processes} processes, ${from / 1_000} to ${(to / 1_000).toFixed(0)} s: ${((1_000 * (part.length - refused)) / (to - from)).toFixed(1)} answers/s, ${((100 * refused) / part.length).toFixed(2)} % refused`,
      )
    }
  } finally {
    server.stop()
    await cluster.stop()
  }
}

/** The bytes a sample of each table that has more than a few, with those of its indices. */
const readTableSizes = (cluster: Cluster, samples: number): string =>
  cluster.sql(
    `SELECT relname || ': ' || round(pg_table_size(c.oid)::numeric / ${samples}) || ' + ' || round(pg_indexes_size(c.oid)::numeric / ${samples}) || ' in indices'
     FROM pg_class c WHERE relnamespace = 'scale'::regnamespace AND relkind = 'r' AND pg_total_relation_size(c.oid) > 10 * ${samples}
     ORDER BY pg_total_relation_size(c.oid) DESC`,
  )

/** Prints how long the viewer's index of the run takes, on a machine that has none yet. */
async function measureIndex(folder: string, address: string, samples: number): Promise<void> {
  process.chdir(mkdtempSync(join(folder, 'viewer-')))
  const began = performance.now()
  const cpuBefore = process.cpuUsage()
  const store = await openStore(address)
  try {
    const run = await openRun(store, 'last')
    let filtered: number | undefined
    for (;;) {
      const { prepared } = await store.samples.find(run, { kind: kindTest('wrong'), offset: 0, limit: 1 })
      if (prepared.filters === prepared.of) filtered ??= (performance.now() - began) / 1_000
      if (prepared.text === prepared.of) break
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    const { user, system } = process.cpuUsage(cpuBefore)
    console.log(
      `  the viewer's index of ${samples}: filters after ${filtered?.toFixed(1)} s, search after ${((performance.now() - began) / 1_000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s`,
    )
  } finally {
    await store.close()
  }
}

async function measureScale(folder: string, kind: string, samples: number, processes: number): Promise<void> {
  const cluster = kind === 'postgres' ? await startCluster({ settings }) : undefined
  try {
    const task = await trivialTask(folder, samples)
    const store = cluster?.address('scale') ?? join(folder, 'store')
    const line = [
      'eval',
      '--model',
      'dummy',
      '--tasks',
      task.name,
      '--include-path',
      task.folder,
      '--store',
      store,
      '--quiet',
    ]
    const before = cluster === undefined ? 0 : readServerCpu(cluster)
    const used = await runTogether(folder, line, processes)
    const server = cluster === undefined ? 0 : readServerCpu(cluster) - before
    const bytes =
      cluster === undefined ? folderBytes(store) : Number(cluster.sql("SELECT pg_database_size('postgres')").trim())
    const again = await runTogether(folder, line, 1)
    console.log(
      `${kind}, ${samples} samples, ${processes} processes: ${(samples / used.seconds).toFixed(0)} samples/s, CPU a sample ${((1e6 * used.cpu) / samples).toFixed(0)} µs in processes, ${((1e6 * server) / samples).toFixed(0)} µs in the server, ${(bytes / samples).toFixed(0)} bytes a sample, again ${again.seconds.toFixed(2)} s (CPU ${again.cpu.toFixed(2)} s)`,
    )
    if (cluster !== undefined) console.log(readTableSizes(cluster, samples))
    await measureIndex(folder, store, samples)
  } finally {
    await cluster?.stop()
  }
}

const folder = mkdtempSync(join(tmpdir(), 'many-machines-'))
try {
  if (what === 'limit') await measureLimit(folder, Number(args[0] ?? 16), Number(args[1] ?? 100))
  else if (what === 'scale')
    await measureScale(folder, args[0] ?? 'postgres', Number(args[1] ?? 10_000), Number(args[2] ?? 1))
  else throw new Error('name what to measure: limit or scale')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
