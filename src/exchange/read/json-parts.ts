import { PipelineError } from '../../../base/errors/errors.js'
import { largestRecordLimit, tooLong } from '../../../base/files/record-limit.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { type JsonCursor, LongValueError, openJsonCursor } from '../../../stages/input/datasets/json/json-cursor.js'
import { textPieces } from '../../../stages/input/datasets/text-lines.js'

/** A value in a large JSON file. */
export interface JsonPart {
  /** The names of the fields that lead to it, joined by dots. */
  readonly name: string
  readonly text: string
  readonly line: number
}

/** The way to read a field: its value whole, the items of its list one by one, the fields of its object, or not at all. */
export type PartUse = 'value' | 'items' | 'fields' | 'skip'

/**
 * Yields the values in a JSON file whose outermost value is an object, while it holds one of them at a time.
 *
 * @throws PipelineError with file and line, where the file is not JSON.
 */
export async function* jsonParts(file: string, useOf: (name: string) => PartUse): AsyncGenerator<JsonPart> {
  const cursor = openJsonCursor(textPieces(file))
  const walk: Walk = { file, cursor, useOf }
  try {
    yield* fieldsAt(walk, '')
    await expectNext(walk, '')
  } finally {
    await cursor.close()
  }
}

interface Walk {
  readonly file: string
  readonly cursor: JsonCursor
  readonly useOf: (name: string) => PartUse
}

async function* fieldsAt(walk: Walk, path: string): AsyncGenerator<JsonPart> {
  const { cursor } = walk
  await expectNext(walk, '{')
  if ((await cursor.peek()) === '}') {
    await cursor.take()
    return
  }
  do {
    const { text, line } = await valueAt(walk, '')
    const name = `${path}${nameFrom(walk, text, line)}`
    await expectNext(walk, ':')
    yield* usedAs(walk, name)
  } while ((await expectNext(walk, ',}')) === ',')
}

async function* usedAs(walk: Walk, name: string): AsyncGenerator<JsonPart> {
  const next = await walk.cursor.peek()
  const use = walk.useOf(name)
  if (use === 'skip') {
    await expectValue(walk)
    await walk.cursor.skip()
  } else if (use === 'fields' && next === '{') yield* fieldsAt(walk, `${name}.`)
  else if (use === 'items' && next === '[') yield* itemsAt(walk, name)
  else yield await valueAt(walk, name)
}

async function* itemsAt(walk: Walk, name: string): AsyncGenerator<JsonPart> {
  await expectNext(walk, '[')
  if ((await walk.cursor.peek()) === ']') {
    await walk.cursor.take()
    return
  }
  do yield await valueAt(walk, name)
  while ((await expectNext(walk, ',]')) === ',')
}

async function valueAt(walk: Walk, name: string): Promise<JsonPart> {
  await expectValue(walk)
  const line = walk.cursor.line()
  try {
    return { name, text: await walk.cursor.value(largestRecordLimit), line }
  } catch (error) {
    if (!(error instanceof LongValueError)) throw error
    throw problem(walk, line, tooLong('the value that begins here', largestRecordLimit))
  }
}

function nameFrom(walk: Walk, text: string, line: number): string {
  try {
    const name: unknown = JSON.parse(text)
    if (typeof name === 'string') return name
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw problem(walk, line, `not JSON: ${text.slice(0, 40)} in place of a field's name`)
}

async function expectValue(walk: Walk): Promise<void> {
  const next = await walk.cursor.peek()
  if (next === '' || ',:]}'.includes(next))
    throw problem(walk, walk.cursor.line(), `not JSON: ${describeNext(next)} in place of a value`)
}

/** @param wanted the allowed characters; empty for the end. */
async function expectNext(walk: Walk, wanted: string): Promise<string> {
  const next = await walk.cursor.peek()
  if (next === '' ? wanted !== '' : !wanted.includes(next))
    throw problem(
      walk,
      walk.cursor.line(),
      `not JSON: ${describeNext(next)} in place of ${wanted === '' ? 'the end of the file' : Array.from(wanted).join(' or ')}`,
    )
  return walk.cursor.take()
}

const describeNext = (next: string): string => (next === '' ? 'the end of the file' : `"${next}"`)

const problem = ({ file }: Walk, line: number, what: string): PipelineError =>
  new PipelineError('dataset', `${shownPath(file)}:${line}  ${what}`)
