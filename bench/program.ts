import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../cache/code/project-root.js'

/** The time and memory that a process used. */
export interface Used {
  /** Seconds from start to end, as a user waits. */
  readonly wall: number
  /** CPU seconds of all threads, which do not depend on other load. */
  readonly cpu: number
  /** Maximum resident memory in megabytes. */
  readonly peak: number
  readonly stdout: string
}

/** A process that was started, and what it used when it ends. */
export interface StartedProgram {
  readonly child: ChildProcess
  /** Rejects if the exit code is not 0. */
  readonly ended: Promise<Used>
}

const bin = join(projectRoot, 'dist/src/cli/bin.js')
const usage = fileURLToPath(new URL('./usage.js', import.meta.url))

/** Starts the built program as a user would. */
export const startProgram = (args: readonly string[]): StartedProgram => startScript([bin, ...args])

/** Starts Node.js with a file of the build. */
function startScript(args: readonly string[]): StartedProgram {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', usage, ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const { stdout: out, stderr: err } = child
  const report = child.stdio[3]
  if (out === null || err === null || !(report instanceof Readable)) throw new Error('internal error: no pipes')
  const ended = Promise.all([text(out), text(err), text(report), once(child, 'close')]).then(
    ([stdout, stderr, used, [code]]): Used => {
      if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${String(code)}:\n${stdout}${stderr}`)
      const { cpu, peak } = JSON.parse(used) as { cpu: number; peak: number }
      return { wall: (performance.now() - startedAt) / 1000, cpu, peak, stdout }
    },
  )
  // A caller that kills the process does not wait for its end.
  ended.catch(() => undefined)
  return { child, ended }
}

/** Runs a script with Node. */
export const runScript = (args: readonly string[]): Promise<Used> => startScript(args).ended

/** Runs the built program. */
export const runProgram = (args: readonly string[]): Promise<Used> => startProgram(args).ended

/** Measures the seconds of a bare `node` with these arguments. */
export async function timeNode(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'close')
  return (performance.now() - startedAt) / 1000
}

/** Measures the seconds of `pipeline version`. */
export const timeVersion = (): Promise<number> => timeNode([bin, 'version'])
