import { fork, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { endFamily } from './process-family.js'
import type { FromSupervisor, SupervisedProgram, ToSupervisor } from './supervisor.js'

/** How a program came to its end, or why there was none to begin with. */
export type ProgramEnd =
  | { readonly type: 'refused'; readonly code?: string; readonly message: string }
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: string | null }

/**
 * A program that serves a model, run by a supervising process, so that none of it outlives this process.
 *
 * It does not keep this process alive.
 */
export class EngineProcess {
  /** Resolves when the program has ended, whoever wanted it. */
  readonly ended: Promise<ProgramEnd>
  readonly #supervisor: ChildProcess
  readonly #gone: Promise<void>
  #end: ProgramEnd | undefined

  constructor(program: Omit<SupervisedProgram, 'mark'>) {
    const marked = { ...program, mark: `PIPELINE_ENGINE=${randomUUID()}` }
    this.#supervisor = startSupervisor(program.env)
    this.#gone = this.#untilGone(marked)
    this.ended = this.#listen()
    this.#tell({ type: 'start', program: marked })
  }

  /** Undefined while the program runs. */
  get end(): ProgramEnd | undefined {
    return this.#end
  }

  /** Resolves when nothing of the program is left. */
  async stop(): Promise<void> {
    this.#keepAlive(true)
    this.#tell({ type: 'stop' })
    await this.#gone
  }

  /** Whether this process waits for it. */
  #keepAlive(isWaiting: boolean): void {
    const { channel } = this.#supervisor
    if (isWaiting) {
      this.#supervisor.ref()
      channel?.ref()
    } else {
      this.#supervisor.unref()
      channel?.unref()
    }
  }

  /** A program that is up serves, and needs nobody to listen to it. */
  release(): void {
    this.#keepAlive(false)
  }

  /** A supervisor that was killed could not end the program. */
  async #untilGone({ mark, graceMs }: SupervisedProgram): Promise<void> {
    let group: number | undefined
    this.#supervisor.on('message', (message: FromSupervisor) => {
      if (message.type === 'started') group = message.pid
    })
    const wasKilled = await new Promise<boolean>(resolve => {
      this.#supervisor.once('exit', (_, signal) => resolve(signal !== null))
      this.#supervisor.once('error', () => resolve(false))
    })
    if (wasKilled && group !== undefined) await endFamily({ group, mark }, graceMs)
  }

  #listen(): Promise<ProgramEnd> {
    return new Promise(resolve => {
      const end = (how: ProgramEnd): void => {
        this.#end ??= how
        resolve(this.#end)
      }
      this.#supervisor.on('message', (message: FromSupervisor) => {
        if (message.type !== 'started') end(message)
      })
      this.#supervisor.once('error', error => end({ type: 'refused', message: error.message }))
      this.#supervisor.once('exit', (code, signal) => end({ type: 'ended', code, signal }))
    })
  }

  #tell(message: ToSupervisor): void {
    // What cannot be sent was for a process that has ended, and its end is known.
    this.#supervisor.send(message, () => undefined)
  }
}

/** Run from source (under a test runner), the entry is TypeScript, and the process has tsx load it. */
function startSupervisor(env: SupervisedProgram['env']): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = new URL(isSource ? './supervisor.ts' : './supervisor.js', import.meta.url)
  return fork(fileURLToPath(entry), {
    execArgv: isSource ? ['--import', import.meta.resolve('tsx')] : [],
    env,
    // Away from the terminal: neither Ctrl-C nor its end reaches it before this process's own end does.
    detached: true,
    stdio: 'ignore',
  })
}
