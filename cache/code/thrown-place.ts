import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, systemCode } from '../../base/errors/errors.js'

/**
 * The text of what a user's function threw. Where that is an error of the language itself, whose words tell no place, the
 * file and line are added: `Cannot read properties of undefined (reading 'kind') (utils.ts:9:12)`.
 */
export function reasonOf(error: unknown): string {
  const place = thrownPlace(error)
  return place === undefined ? messageOf(error) : `${messageOf(error)} (${place})`
}

/** The text of what was thrown while a user's file was loaded, with the file and line where it is known. */
export function loadingReason(error: unknown): string {
  const place = error instanceof Error ? userPlace(error) : undefined
  return place === undefined ? messageOf(error) : `${messageOf(error)} (${place})`
}

/**
 * Where a user's own code has a mistake: an error of types or names that one of its own lines threw. `fetch failed` is none,
 * though it is a TypeError: what the code called threw it.
 */
export function mistakePlace(error: unknown): string | undefined {
  if (!(error instanceof TypeError || error instanceof ReferenceError)) return undefined
  const innermost = (error.stack ?? '').split('\n').find(line => /^\s+at .*:\d+:\d+\)?$/.test(line))
  return innermost !== undefined && compiledFrame.test(innermost) ? userPlace(error) : undefined
}

/** The file, line and column, each from 1, that a place in compiled code comes from. */
export interface OriginalPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Follows the source map that compiled code carries. Line and column count from 1. */
export const originalPlace = (code: string, line: number, column: number): OriginalPlace | undefined =>
  placeIn(sourceMapIn(code), line, column)

function placeIn(map: SourceMap | undefined, line: number, column: number): OriginalPlace | undefined {
  const entry = map?.findEntry(line - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry)) return undefined
  return { file: entry.originalSource, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

/** Whether a user's own code threw, and what, with the file and line; `undefined` where it was not that. */
export function codeFailure(error: unknown): string | undefined {
  const place = error instanceof Error ? (userPlace(error) ?? thrownPlace(error.cause)) : undefined
  return place === undefined ? undefined : `the task's code failed at ${place}: ${messageOf(error)}`
}

const languageErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError] as const

function thrownPlace(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (!languageErrors.some(kind => error instanceof kind)) return thrownPlace(error.cause)
  return userPlace(error)
}

/** Where in a user's code an error comes from, if that is where. */
function userPlace(error: Error): string | undefined {
  const [, url, line, column] = compiledFrame.exec(error.stack ?? '') ?? []
  if (url === undefined) return undefined
  const place = placeIn(sourceMapOf(fileURLToPath(url)), Number(line), Number(column ?? 1))
  return place && `${basename(place.file)}:${place.line}:${place.column}`
}

/** The innermost frame in a file that `loadUserCode` wrote. An import that does not fit has no column. */
const compiledFrame = /(file:\/\/\S*\/[0-9a-f]{64}\.mjs):(\d+)(?::(\d+))?/

/** Files are named by their digest, so that what was read of one holds for good. */
const sourceMaps = new Map<string, SourceMap | undefined>()

function sourceMapOf(file: string): SourceMap | undefined {
  if (!sourceMaps.has(file)) sourceMaps.set(file, sourceMapIn(textOf(file)))
  return sourceMaps.get(file)
}

function sourceMapIn(code: string): SourceMap | undefined {
  const [, data] = /sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(code) ?? []
  if (data === undefined) return undefined
  return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()) as ConstructorParameters<typeof SourceMap>[0])
}

/** Nothing where the file was deleted after it was loaded. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw error
  }
}
