import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { PipelineError } from '../../base/errors/errors.js'
import { exitCode } from './exit-code.js'
import type { Terminal } from './display/terminal.js'

/** Ends the process of the program. */
export interface ProcessEnd {
  exit(code: number): never
  /** Declares the following end of the process as expected. */
  expected(): void
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
    if (code === 0) process.exitCode = exitCode({ isRefused: true })
  })
  Object.assign(console, new Console(told(terminal)))
  return {
    exit(code) {
      isExpected = true
      return exit(code)
    },
    expected: () => void (isExpected = true),
  }
}

/** A stream to standard error, above the live display. */
const told = (terminal: Terminal): Writable =>
  new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, written) {
      terminal.tell(String(chunk).replace(/\n$/, ''))
      written()
    },
  })

/** The seconds that users' code may take for one doc, from `PIPELINE_CODE_TIMEOUT`. */
export function codeTimeout(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const { PIPELINE_CODE_TIMEOUT: given = '' } = env
  if (given === '') return undefined
  const seconds = Number(given)
  if (seconds >= 0.1 && seconds <= 86_400) return seconds
  throw new PipelineError(
    'usage',
    `PIPELINE_CODE_TIMEOUT is ${JSON.stringify(given)}: give the seconds that code of a task may take for one doc, from 0.1 to 86400`,
  )
}

/** The maximum megabytes of one record of a text file, from `PIPELINE_MAX_RECORD_MB`. @throws PipelineError if that is not a number */
export function recordMegabytes(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const { PIPELINE_MAX_RECORD_MB: given = '' } = env
  if (given === '') return undefined
  const megabytes = Number(given)
  if (megabytes >= 1 && megabytes <= 400) return megabytes
  throw new PipelineError(
    'usage',
    `PIPELINE_MAX_RECORD_MB is ${JSON.stringify(given)}: give the megabytes that one record of a text file may have, from 1 to 400`,
  )
}
