/** Further processes of this machine that share the run of a command. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The file of the program. */
const program = fileURLToPath(new URL('../bin.js', import.meta.url))

/** Settings of the processes. */
export interface LocalWorkerSettings {
  /** The number of processes beside this one. */
  readonly count: number
  /** The command line of this process. The other processes get it with the run to join. */
  readonly words: readonly string[]
  /** Aborted to finish requests in flight, and end. */
  readonly drain: AbortSignal
  /** End at once. */
  readonly stop: AbortSignal
  readonly tell: (line: string) => void
}

/** Starts processes that share a run, and waits for their end. */
export class LocalWorkers {
  readonly #settings: LocalWorkerSettings
  readonly #ends: Promise<unknown>[] = []
  readonly #children = new Set<ChildProcess>()

  constructor(settings: LocalWorkerSettings) {
    this.#settings = settings
    for (const signal of [settings.drain, settings.stop])
      signal.addEventListener('abort', this.#interrupt, { once: true })
  }

  /** Starts the processes. They end when no work is left, or when this process is gone. */
  start(run: string): void {
    for (let number = 2; number <= this.#settings.count + 1; number += 1) this.#spawn(run, number)
    if (this.#settings.drain.aborted) this.#interrupt()
  }

  /** Resolves when all processes have ended. @param isFailed ends them first, because this process failed */
  async end({ isFailed }: { readonly isFailed: boolean }): Promise<void> {
    if (isFailed) this.#interrupt()
    await Promise.all(this.#ends)
    for (const signal of [this.#settings.drain, this.#settings.stop])
      signal.removeEventListener('abort', this.#interrupt)
  }

  #spawn(run: string, number: number): void {
    const { words, tell, drain } = this.#settings
    // In a separate process group, the process gets no signals from the terminal, so that Ctrl-C counts once.
    const child = fork(program, [...words, '--join', run], {
      ...{ detached: true, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
    })
    this.#children.add(child)
    let lastLine = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastLine = text.trim().split('\n').at(-1)?.trim() ?? lastLine
    })
    const ended = once(child, 'exit').then(
      ([code, signal]: unknown[]) => {
        if (code === 0 || drain.aborted) return
        const how = typeof signal === 'string' ? signal : `exit code ${String(code)}`
        tell(
          `worker ${number} ended (${how})${lastLine === '' ? '' : `: ${lastLine}`}. The others continue with its requests.`,
        )
      },
      (error: unknown) => {
        tell(`worker ${number} could not be started: ${error instanceof Error ? error.message : String(error)}`)
      },
    )
    this.#ends.push(ended.finally(() => this.#children.delete(child)))
  }

  readonly #interrupt = (): void => {
    for (const child of this.#children) child.kill('SIGTERM')
  }
}

/** Ends this process like Ctrl-C when the process that started it is gone. */
export function followParent(): void {
  if (process.send === undefined) return
  const end = (): void => void process.kill(process.pid, 'SIGTERM')
  if (!process.connected) {
    end()
    return
  }
  process.once('disconnect', end)
  // The channel alone must not keep the process alive.
  process.channel?.unref()
}
