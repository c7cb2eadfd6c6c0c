import {
  spawn,
  type ChildProcessByStdio,
  type SpawnOptionsWithStdioTuple,
  type StdioNull,
  type StdioPipe,
} from 'node:child_process'
import { isAbsolute } from 'node:path'
import type { Readable } from 'node:stream'
import { messageOf } from '../../errors/errors.js'

/** The maximum number of characters of error output that is kept. */
const mostTrouble = 4_000
/** The maximum length of one line of it. ffmpeg repeats whole filters in its lines, and what follows them matters more. */
const mostTroubleInLine = 400
/** The maximum length of a program's output that is read into memory, in bytes. */
const mostOutput = 64 * 2 ** 20
/** The maximum length of an output that is read line by line and not kept, in bytes: the packets of some days of video. */
const mostListed = 256 * 2 ** 20
/** The exit code for a missing program. The shell's own 127 is ambiguous: it also means that the program's libraries do not fit into memory. */
const missingCode = 120

/**
 * Shell script that limits the address space, then replaces itself by the program, so that the child's process id is the program's. A system without
 * such a limit runs the program unlimited. `MALLOC_ARENA_MAX` is set because more than two memory pools reserve addresses that are never used.
 */
const limited = `command -v "$1" >/dev/null 2>&1 || exit ${missingCode}; ulimit -v "$0" 2>/dev/null; export MALLOC_ARENA_MAX=2; exec "$@"`

const tooLittle = /cannot allocate memory|failed to map/i
/** ffmpeg names a lack of memory as well if it refuses a filter. */
const refusedFilter = /error while parsing expression|error initializing filter/i

export type DecoderProcess = ChildProcessByStdio<null, Readable, Readable>

/** A run of ffmpeg or ffprobe that failed. */
export class DecoderError extends Error {
  override readonly name = 'DecoderError'
  /** `missing`: the program is not installed. `failed`: it could not read the file within its limits. */
  readonly reason: 'missing' | 'failed'

  constructor(reason: DecoderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Starts ffmpeg or ffprobe with a memory limit. The process is killed when `signal` is aborted. */
export function startDecoder(
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { memoryMb, signal }: { readonly memoryMb: number; readonly signal: AbortSignal },
): DecoderProcess {
  const options: SpawnOptionsWithStdioTuple<StdioNull, StdioPipe, StdioPipe> = {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  }
  if (process.platform === 'win32') return spawn(program, args, options)
  return spawn('/bin/sh', ['-c', limited, String(memoryMb * 1024), program, ...args], options)
}

/**
 * Runs ffmpeg or ffprobe and returns what it writes. The process has ended when the promise settles.
 *
 * @param options `onLine` gets each line of the output, which is then not kept. `isStrict` makes each line of its error output a failure.
 * @throws DecoderError if it is missing or fails. The reason of `signal` if that is aborted.
 */
export async function runDecoder(
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  options: {
    readonly memoryMb: number
    readonly signal: AbortSignal
    readonly isStrict?: boolean
    readonly onLine?: (line: string) => void
  },
): Promise<Buffer> {
  options.signal.throwIfAborted()
  const child = startDecoder(program, args, options)
  const chunks: Buffer[] = []
  let length = 0
  let trouble = ''
  const { onLine, isStrict = false } = options
  const most = onLine === undefined ? mostOutput : mostListed
  const lines = onLine && splitLines(onLine)
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > most) child.kill('SIGKILL')
    else if (lines === undefined) chunks.push(chunk)
    else lines(chunk)
  })
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (trouble = shortenLines(trouble + text).slice(-mostTrouble)))
  const code = await awaitDecoderExit(child)
  options.signal.throwIfAborted()
  if (code === 0 && !(isStrict && trouble !== '')) return Buffer.concat(chunks)
  if (length > most) throw new DecoderError('failed', `${program} lists more than ${most / 2 ** 20} MB`)
  const little =
    tooLittle.test(trouble) && !refusedFilter.test(trouble)
      ? `. Its limit of memory, ${options.memoryMb} MB, may be too small`
      : ''
  throw new DecoderError(
    'failed',
    `${program}: ${lastLine(withoutPlaces(trouble, args)) ?? `it ended with ${code ?? 'a signal'}`}${little}`,
  )
}

/**
 * Waits until a process has ended. @returns its exit code, or null if a signal ended it
 * @throws DecoderError (missing) if it cannot be started
 */
export function awaitDecoderExit(child: DecoderProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    // An aborted process reports an error before it has ended.
    child.once('error', error => {
      if (child.pid === undefined) reject(new DecoderError('missing', messageOf(error), { cause: error }))
    })
    child.once('close', code => {
      if (code === missingCode) reject(new DecoderError('missing', 'ffmpeg is not installed'))
      else resolve(code)
    })
  })
}

/** Returns a function that splits ASCII output into lines, however the output is cut into chunks. */
function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = ''
  return chunk => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}

/** Removes addresses and file paths from an error text, because they differ between runs and machines. */
const withoutPlaces = (text: string, args: readonly string[]): string =>
  args
    .filter(arg => isAbsolute(arg))
    .reduce((rest, path) => rest.replaceAll(path, 'the file'), text)
    .replaceAll(/\[[^\]\n]* @ 0x[0-9a-f]+\] ?/g, '')

const longLine = new RegExp(`([^\\n]{${mostTroubleInLine}})[^\\n]+`, 'g')
const shortenLines = (text: string): string => text.replaceAll(longLine, '$1')

function lastLine(text: string): string | undefined {
  const line = text.trim().split('\n').at(-1)
  return line === '' ? undefined : line
}
