import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, systemCode } from '../../base/errors/errors.js'

/**
 * Describes an error that a user's function threw. Messages of JavaScript's own errors name no position, so file and line are added: `Cannot read
 * properties of undefined (reading 'kind') (utils.ts:9:12)`.
 */
export function describeThrown(error: unknown): string {
  const position = findThrownPosition(error)
  return position === undefined ? messageOf(error) : `${messageOf(error)} (${position})`
}

/** Describes an error while a user's file was loaded, with file and line if they are known. */
export function loadingReason(error: unknown): string {
  const position = error instanceof Error ? findUserPosition(error) : undefined
  return position === undefined ? messageOf(error) : `${messageOf(error)} (${position})`
}

/**
 * Finds the position of a mistake in a user's code: a type or name error that one of its own lines threw. `fetch
 * failed` is not a mistake, though it is a TypeError, because the called function threw it.
 */
export function findMistakePosition(error: unknown): string | undefined {
  if (!(error instanceof TypeError || error instanceof ReferenceError)) return undefined
  const innermost = (error.stack ?? '').split('\n').find(line => /^\s+at .*:\d+:\d+\)?$/.test(line))
  return innermost !== undefined && compiledFrame.test(innermost) ? findUserPosition(error) : undefined
}

/** A position in the source that compiled code comes from: file, line and column, each counted from 1. */
export interface SourcePosition {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Maps a position in compiled code to its source by the code's source map. Line and column count from 1. */
export const findSourcePosition = (code: string, line: number, column: number): SourcePosition | undefined =>
  mapPosition(sourceMapIn(code), line, column)

function mapPosition(map: SourceMap | undefined, line: number, column: number): SourcePosition | undefined {
  const entry = map?.findEntry(line - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry)) return undefined
  return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

/** Describes an error that a user's code threw, with file and line. @returns undefined if other code threw it */
export function codeFailure(error: unknown): string | undefined {
  const position = error instanceof Error ? (findUserPosition(error) ?? findThrownPosition(error.cause)) : undefined
  return position === undefined ? undefined : `the task's code failed at ${position}: ${messageOf(error)}`
}

const languageErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError] as const

function findThrownPosition(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (!languageErrors.some(kind => error instanceof kind)) return findThrownPosition(error.cause)
  return findUserPosition(error)
}

/** Finds the line of a user's code that an error comes from. @returns undefined if it comes from other code */
function findUserPosition(error: Error): string | undefined {
  const [, url, line, column] = compiledFrame.exec(error.stack ?? '') ?? []
  if (url === undefined) return undefined
  const position = mapPosition(findSourceMap(fileURLToPath(url)), Number(line), Number(column ?? 1))
  return position && `${basename(position.file)}:${position.line}:${position.column}`
}

/** Matches the innermost stack frame in a file that `loadUserCode` wrote. An import that does not resolve has no column. */
const compiledFrame = /(file:\/\/\S*\/[0-9a-f]{64}\.mjs):(\d+)(?::(\d+))?/

/** Source maps by file. Files are named by their digest, so an entry never becomes outdated. */
const sourceMaps = new Map<string, SourceMap | undefined>()

function findSourceMap(file: string): SourceMap | undefined {
  if (!sourceMaps.has(file)) sourceMaps.set(file, sourceMapIn(readCode(file)))
  return sourceMaps.get(file)
}

function sourceMapIn(code: string): SourceMap | undefined {
  const [, data] = /sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(code) ?? []
  if (data === undefined) return undefined
  return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()) as ConstructorParameters<typeof SourceMap>[0])
}

/** Returns an empty text if the file was deleted after it was loaded. */
function readCode(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw error
  }
}
