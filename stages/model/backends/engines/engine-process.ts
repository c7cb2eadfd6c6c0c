import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { forkModule, keepAlive } from '../../../../base/processes/module-process.js'
import { endFamily } from './process-family.js'
import type { FromSupervisor, SupervisedProgram, ToSupervisor } from './supervisor.js'

/** The end of a program, or the reason why it did not start. */
export type ProgramEnd =
  | { readonly type: 'refused'; readonly code?: string; readonly message: string }
  | { readonly type: 'ended'; readonly code: number | null; readonly signal: string | null }

/**
 * A program that serves a model. A supervisor process runs it, so that nothing of it outlives this process.
 *
 * The program does not keep this process alive.
 */
export class EngineProcess {
  /** Resolves when the program has ended for any reason. */
  readonly ended: Promise<ProgramEnd>
  readonly #supervisor: ChildProcess
  readonly #gone: Promise<void>
  #end: ProgramEnd | undefined

  constructor(program: Omit<SupervisedProgram, 'mark'>) {
    const marked = { ...program, mark: `PIPELINE_ENGINE=${randomUUID()}` }
    this.#supervisor = forkModule(new URL('./supervisor.js', import.meta.url), { env: program.env, stdio: 'ignore' })
    this.#gone = this.#untilGone(marked)
    this.ended = this.#listen()
    this.#tell({ type: 'start', program: marked })
  }

  /** The end of the program. Undefined while it runs. */
  get end(): ProgramEnd | undefined {
    return this.#end
  }

  /** Stops the program. Resolves when all of its processes have ended. */
  async stop(): Promise<void> {
    keepAlive(this.#supervisor, true)
    this.#tell({ type: 'stop' })
    await this.#gone
  }

  /** Stops waiting for the program, which is ready to serve. */
  release(): void {
    keepAlive(this.#supervisor, false)
  }

  /** Ends the program if its supervisor was killed, which could not do so. */
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
    // A message that cannot be sent was for a supervisor that has ended, which `ended` reports.
    this.#supervisor.send(message, () => undefined)
  }
}
