import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { exitCode } from '../exit-code.js'
import type { Terminal } from '../display/terminal.js'

/** Ends the process of the program. */
export interface ProcessEnd {
  exit(code: number): never
  /** Declares the following end of the process as expected, and brings it about if something still runs after a while. */
  soon(): void
}

/**
 * Protects the process from code of tasks and plugins: `process.exit` throws, and `console` writes to standard error. If the process ends before its command, the exit
 * code is not 0.
 */
export function guardProcess(terminal: Terminal): ProcessEnd {
  const exit = process.exit.bind(process)
  let isExpected = false
  process.exit = code => {
    throw new Error(
      `process.exit(${code ?? ''}) was called: code of a task or plugin returns or throws, it does not end the program`,
    )
  }
  process.once('exit', code => {
    if (isExpected) return
    terminal.tell(
      `${terminal.paint.err.red('error:')} the program ended before its command did: code of a task, plugin or package ended it, or never answered. What was answered is kept.`,
    )
    // Node ends with 13 where nothing is left that could settle the command's promise.
    if (code === 0 || code === 13) process.exitCode = exitCode({ isRefused: true })
  })
  Object.assign(console, new Console(makeTellStream(terminal)))
  return {
    exit(code) {
      isExpected = true
      return exit(code)
    },
    soon() {
      isExpected = true
      const leave = (): void => {
        if (process.stdout.writableLength > 0) later()
        else exit()
      }
      // The timer alone keeps no process alive.
      const later = (): void => void setTimeout(leave, leftoverMs).unref()
      later()
    },
  }
}

/** The time that connections, timers and code that a command left behind may keep its process alive. */
const leftoverMs = 3_000

/** A stream to standard error, above the live display. */
const makeTellStream = (terminal: Terminal): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, callback) {
      terminal.tell(String(chunk).replace(/\n$/, ''))
      callback()
    },
  })
