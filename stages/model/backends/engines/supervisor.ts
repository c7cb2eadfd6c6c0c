import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, systemCode } from '../../../../base/errors/errors.js'
import { MaskedLog } from './masked-log.js'
import { endFamily } from './process-family.js'

/**
 * The entry of a process that runs one program. It ends the program and all its processes when it is told to, and when
 * the process that started it is gone for any reason.
 */

/** The time to wait for the last output of a program that has ended. */
const lastWordsMs = 500

let stop = (): void => process.exit()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop())
process.on('disconnect', () => stop())
process.on('message', (message: ToSupervisor) => {
  if (message.type === 'stop') stop()
  else tryToStart(message.program)
})

function tryToStart(program: SupervisedProgram): void {
  try {
    start(program)
  } catch (error) {
    void refuse(messageOf(error))
  }
}

function start(program: SupervisedProgram): void {
  const [executable, ...args] = program.command
  const [markName = '', mark = ''] = program.mark.split('=')
  const log = new MaskedLog(program.logFile, program.secrets, error => void refuse(`its log: ${error.message}`))
  const child = spawn(executable, args, {
    env: { ...program.env, [markName]: mark },
    // The program gets a process group of its own, which Ctrl-C in the terminal does not reach.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  log.follow(child.stdout)
  log.follow(child.stderr)
  child.once('error', error => void refuse(error.message, systemCode(error)))
  const { pid } = child
  if (pid === undefined) return
  let isEnding = false
  const end = async (): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await endFamily({ group: pid, mark: program.mark }, program.graceMs)
    await log.close()
    process.exit()
  }
  stop = () => void end()
  child.once('exit', (code, signal) => void tellEnd(child, log, { type: 'ended', code, signal }).then(end))
  void tell({ type: 'started', pid })
}

async function refuse(message: string, code?: string): Promise<void> {
  await tell({ type: 'refused', message, ...(code === undefined ? {} : { code }) })
  stop()
}

/** Reports the end after the log is complete, so that it can be quoted. */
async function tellEnd(child: ChildProcess, log: MaskedLog, message: FromSupervisor): Promise<void> {
  const closed = new Promise(resolve => child.once('close', resolve))
  await Promise.race([closed, sleep(lastWordsMs)])
  await log.flush()
  await tell(message)
}

/** Resolves when the message is sent. A receiver that is gone is ignored. */
const tell = (message: FromSupervisor): Promise<void> =>
  new Promise(resolve => {
    if (!process.connected || process.send === undefined) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })

/** The program to run, and where its output goes. */
export interface SupervisedProgram {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** `NAME=value` for the environment of the program's processes, which identifies them. */
  readonly mark: string
  readonly logFile: string
  /** Values that are never written to the log. */
  readonly secrets: readonly string[]
  /** The time that the program may take to end after it was asked to, in milliseconds. */
  readonly graceMs: number
}

/** Messages to the supervisor. A disconnection means `stop`. */
export type ToSupervisor = { readonly type: 'start'; readonly program: SupervisedProgram } | { readonly type: 'stop' }

/** Messages from the supervisor. Its end means that all processes of the program have ended. */
export type FromSupervisor =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'refused'; readonly code?: string; readonly message: string }
  /** The program ended, asked to or not. Processes that it started may take longer. */
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: string | null }
