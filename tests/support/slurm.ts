import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { availableParallelism, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const programs = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue']
const missing = programs.find(name => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0)

/** Says in the names of tests why they are skipped. Empty if Slurm can be started. */
export const withoutSlurm =
  missing !== undefined
    ? ` (skipped: there is no ${missing}; install slurm-wlm)`
    : process.getuid?.() === 0
      ? ''
      : ' (skipped: Slurm starts jobs only as root)'

/** Slurm with this machine as its only node. */
export interface Slurm {
  /** Names the configuration to the commands of Slurm. */
  readonly env: Readonly<Record<string, string>>
  /** Runs a command of Slurm, and returns what it prints. */
  call(program: string, ...args: readonly string[]): string
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

/** Starts munged, slurmctld and slurmd in a folder of their own. */
export async function startSlurm(): Promise<Slurm> {
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-slurm-'))
  const at = (name: string): string => join(folder, name)
  for (const name of ['state', 'spool', 'munge']) mkdirSync(at(name), { mode: 0o700 })
  writeFileSync(at('munge/key'), randomBytes(1024), { mode: 0o600 })
  // Munge refuses a folder above its socket that others may write to.
  chmodSync(folder, 0o755)
  const host = hostname().split('.')[0] ?? 'localhost'
  const [controller, node] = [await findFreePort(), await findFreePort()]
  const lines = [
    ...['ClusterName=test', `SlurmctldHost=${host}(127.0.0.1)`, 'SlurmUser=root', 'SlurmdUser=root'],
    ...['AuthType=auth/munge', `AuthInfo=socket=${at('munge/socket')}`, 'CredType=cred/munge'],
    ...[`StateSaveLocation=${at('state')}`, `SlurmdSpoolDir=${at('spool')}`],
    ...[`SlurmctldPidFile=${at('slurmctld.pid')}`, `SlurmdPidFile=${at('slurmd.pid')}`],
    ...[`SlurmctldPort=${controller}`, `SlurmdPort=${node}`, 'ReturnToService=2', 'MpiDefault=none'],
    ...['ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none', 'JobAcctGatherType=jobacct_gather/none'],
    ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU_Memory'],
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=${availableParallelism()} RealMemory=4000 State=UNKNOWN`,
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
  ]
  writeFileSync(at('slurm.conf'), `${lines.join('\n')}\n`)
  const env = { SLURM_CONF: at('slurm.conf') }
  const munge = ['socket', 'pid', 'log', 'seed'].map(
    name => `--${name}${name === 'socket' ? '' : '-file'}=${at(`munge/${name}`)}`,
  )
  const daemons: ChildProcess[] = []
  const start = (program: string, ...args: readonly string[]): void =>
    void daemons.unshift(spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' }))
  start('munged', '--foreground', '--force', `--key-file=${at('munge/key')}`, ...munge)
  start('slurmctld', '-D')
  start('slurmd', '-D')
  const call: Slurm['call'] = (program, ...args) =>
    execFileSync(program, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const isUp = (): boolean => {
    const { stdout } = spawnSync('sinfo', ['-h', '-o', '%t'], { env: { ...process.env, ...env }, encoding: 'utf8' })
    return stdout.includes('idle')
  }
  for (let attempt = 0; !isUp(); attempt++) {
    if (attempt > 300) throw new Error('Slurm does not start')
    await sleep(100)
  }
  return {
    env,
    call,
    async stop() {
      for (const daemon of daemons) {
        const ended = once(daemon, 'exit')
        daemon.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
