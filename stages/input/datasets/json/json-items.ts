import { PipelineError } from '../../../../base/errors/errors.js'
import { tooLong, usualRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { parseExactJson } from './exact-json.js'
import { LongValueError, openJsonCursor, type JsonCursor } from './json-cursor.js'
import { textPieces } from '../text-lines.js'

/** The text of a value in a JSON file. */
export interface JsonItem {
  readonly text: string
  /** Line of its first character, from 1. */
  readonly line: number
  /** Index in its list, from 0. */
  readonly index: number
}

interface Walk {
  readonly file: string
  readonly cursor: JsonCursor
  /** Maximum characters of a value. */
  readonly limit: number
}

/**
 * Yields the items of a file that is a list.
 * @throws PipelineError with the line, where it is not a list.
 */
export async function* itemsOfFile(file: string, limit?: number): AsyncGenerator<JsonItem> {
  const walk = begin(file, limit)
  try {
    yield* listItems(walk)
    await expectNext(walk, '')
  } finally {
    await walk.cursor.close()
  }
}

/** Yields the values that follow each other in a file. */
export async function* valuesOfFile(file: string, limit?: number): AsyncGenerator<JsonItem> {
  const walk = begin(file, limit)
  try {
    for (let index = 0; (await walk.cursor.peek()) !== ''; index++) yield await nextItem(walk, index)
  } finally {
    await walk.cursor.close()
  }
}

/** Yields the items of a list that is a field of the file's object. Other fields are skipped. */
export async function* itemsOfField(file: string, field: string, limit?: number): AsyncGenerator<JsonItem> {
  const walk = begin(file, limit)
  let isFound = false
  try {
    for await (const { name, line } of fieldsIn(walk, field)) {
      if (name !== field) await pass(walk)
      else if (isFound) throw problem(file, line, `there is a field "${field}" before this one`)
      else {
        isFound = true
        yield* listItems(walk)
      }
    }
    await expectNext(walk, '')
  } finally {
    await walk.cursor.close()
  }
}

/**
 * Returns the text of a field's value, or only `[` for a list.
 * @throws PipelineError if there is no such field.
 */
export async function startOfField(file: string, field: string, limit?: number): Promise<JsonItem> {
  const walk = begin(file, limit)
  const names: string[] = []
  try {
    for await (const { name } of fieldsIn(walk, field)) {
      if (name === field) return await readFieldStart(walk)
      names.push(name)
      await pass(walk)
    }
  } finally {
    await walk.cursor.close()
  }
  throw new PipelineError(
    'dataset',
    `${shownPath(file)} has no field "${field}" (it has ${names.join(', ')}).${didYouMean(field, names)}`,
  )
}

const begin = (file: string, limit = usualRecordLimit): Walk => ({
  file,
  cursor: openJsonCursor(textPieces(file)),
  limit,
})

async function readFieldStart(walk: Walk): Promise<JsonItem> {
  const isList = (await walk.cursor.peek()) === '['
  return isList ? { text: '[', line: walk.cursor.line(), index: 0 } : nextItem(walk, 0)
}

async function* listItems(walk: Walk): AsyncGenerator<JsonItem> {
  await expectNext(walk, '[')
  if ((await walk.cursor.peek()) === ']') {
    await walk.cursor.take()
    return
  }
  let index = 0
  do yield await nextItem(walk, index++)
  while ((await expectNext(walk, ',]')) === ',')
}

/** Yields the names of an object's fields. The caller must consume a field's value before the next name. */
async function* fieldsIn(walk: Walk, field: string): AsyncGenerator<{ readonly name: string; readonly line: number }> {
  const { file, cursor } = walk
  if ((await cursor.peek()) !== '{') throw problem(file, cursor.line(), `expected an object with the field "${field}"`)
  await cursor.take()
  if ((await cursor.peek()) === '}') {
    await cursor.take()
    return
  }
  do {
    const { text, line } = await nextItem(walk, 0)
    const name = parseExactJson(text, () => formatLocation(file, line))
    if (typeof name !== 'string') throw problem(file, line, `not JSON: ${text.slice(0, 40)} in place of a field's name`)
    await expectNext(walk, ':')
    yield { name, line }
  } while ((await expectNext(walk, ',}')) === ',')
}

async function nextItem(walk: Walk, index: number): Promise<JsonItem> {
  await expectValue(walk)
  const line = walk.cursor.line()
  try {
    return { text: await walk.cursor.value(walk.limit), line, index }
  } catch (error) {
    if (!(error instanceof LongValueError)) throw error
    throw problem(walk.file, line, tooLong('the value that begins here', walk.limit))
  }
}

async function pass(walk: Walk): Promise<void> {
  await expectValue(walk)
  await walk.cursor.skip()
}

async function expectValue({ file, cursor }: Walk): Promise<void> {
  const next = await cursor.peek()
  if (next === '' || ',:]}'.includes(next))
    throw problem(file, cursor.line(), `not JSON: ${describeNext(next)} in place of a value`)
}

/** @param wanted the allowed characters; empty for the end. */
async function expectNext({ file, cursor }: Walk, wanted: string): Promise<string> {
  const next = await cursor.peek()
  if (next === '' ? wanted !== '' : !wanted.includes(next)) {
    const expected = wanted === '' ? 'nothing more' : Array.from(wanted).join(' or ')
    throw problem(file, cursor.line(), `not JSON: ${describeNext(next)} in place of ${expected}`)
  }
  return cursor.take()
}

const describeNext = (next: string): string => (next === '' ? 'the end of the file' : `"${next}"`)

const formatLocation = (file: string, line: number): string => `${shownPath(file)}:${line}`

const problem = (file: string, line: number, what: string): PipelineError =>
  new PipelineError('dataset', `${formatLocation(file, line)}  ${what}`)
