import { fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Starts a module of this program in a process of its own.
 *
 * The process leaves the terminal's group, so that Ctrl-C does not reach it before this process has decided what to do. From source (under a test
 * runner) the module is TypeScript, which tsx loads.
 *
 * @param entry the address of the compiled module
 */
export function forkModule(entry: URL, options: Pick<ForkOptions, 'env' | 'serialization' | 'stdio'>): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const path = fileURLToPath(entry)
  return fork(isSource ? path.replace(/js$/, 'ts') : path, {
    execArgv: isSource ? ['--import', import.meta.resolve('tsx')] : [],
    detached: true,
    ...options,
  })
}

/** Sets whether a child process keeps this process alive. An idle one must not. */
export function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  if (isNeeded) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}
