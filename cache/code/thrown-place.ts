import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, systemCode } from '../../base/errors.js'

/**
 * The text of what a user's function threw. Where that is an error of the language itself, whose words tell no place, the
 * file and line are added: `Cannot read properties of undefined (reading 'kind') (utils.ts:9:12)`.
 */
export function reasonOf(error: unknown): string {
  const place = thrownPlace(error)
  return place === undefined ? messageOf(error) : `${messageOf(error)} (${place})`
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
  const entry = sourceMapOf(fileURLToPath(url))?.findEntry(Number(line) - 1, Number(column) - 1)
  if (entry === undefined || !('originalSource' in entry)) return undefined
  return `${basename(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

/** The innermost frame in a file that `loadUserCode` wrote. */
const compiledFrame = /(file:\/\/\S*\/[0-9a-f]{64}\.mjs):(\d+):(\d+)/

/** Files are named by their digest, so that what was read of one holds for good. */
const sourceMaps = new Map<string, SourceMap | undefined>()

function sourceMapOf(file: string): SourceMap | undefined {
  if (!sourceMaps.has(file)) sourceMaps.set(file, readSourceMap(file))
  return sourceMaps.get(file)
}

function readSourceMap(file: string): SourceMap | undefined {
  const [, data] = /sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(textOf(file)) ?? []
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
