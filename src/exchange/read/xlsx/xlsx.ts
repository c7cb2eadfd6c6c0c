import yauzl from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { type SheetCell, sheetRows } from './sheet-rows.js'
import { type SpooledTexts, spooledTexts } from './spooled-texts.js'
import { attribute, xmlScanner } from './xml-scan.js'

export type { SheetCell }

/**
 * Yields the rows of an Excel file's first sheet, with the values of each row by their columns. The sheet may be larger
 * than the memory.
 *
 * @throws PipelineError where the file is damaged.
 */
export async function* xlsxRows(file: string): AsyncGenerator<readonly SheetCell[]> {
  let archive: Archive | undefined
  let texts: SpooledTexts | undefined
  let row = 0
  try {
    archive = await openArchive(file)
    texts = spooledTexts()
    await readTexts(archive, texts)
    for await (const cells of sheetRows(await readPieces(archive, await firstSheet(archive)), texts)) {
      row++
      yield cells
    }
  } catch (error) {
    if (error instanceof PipelineError) throw error
    throw new PipelineError(
      'dataset',
      `${shownPath(file)}${row === 0 ? '' : `, after row ${row}`}  can't be read as an Excel file: ${messageOf(error)}`,
      { cause: error },
    )
  } finally {
    texts?.close()
    archive?.zip.close()
  }
}

interface Archive {
  readonly zip: ZipFile
  readonly entries: ReadonlyMap<string, Entry>
}

async function openArchive(file: string): Promise<Archive> {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false })
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.replace(/^\//, ''), entry)
  } catch (error) {
    zip.close()
    throw error
  }
  return { zip, entries }
}

/** Returns the decoded pieces of a file in the archive. */
async function readPieces({ zip, entries }: Archive, name: string): Promise<AsyncIterable<string>> {
  const entry = entries.get(name)
  if (entry === undefined) throw new Error(`it has no ${name}`)
  const stream = await zip.openReadStreamPromise(entry)
  return stream.setEncoding('utf8') as AsyncIterable<string>
}

/** The workbook lists its sheets in their order, and refers to their files by identifiers. */
async function firstSheet(archive: Archive): Promise<string> {
  let id: string | undefined
  const workbook = xmlScanner({
    ...noEvents,
    open(name, attributes) {
      if (name === 'sheet') id ??= attribute(attributes, 'id')
    },
  })
  for await (const piece of await readPieces(archive, 'xl/workbook.xml')) workbook.push(piece)
  workbook.end()
  let target: string | undefined
  const relations = xmlScanner({
    ...noEvents,
    open(name, attributes) {
      if (name === 'Relationship' && attribute(attributes, 'Id') === id) target = attribute(attributes, 'Target')
    },
  })
  for await (const piece of await readPieces(archive, 'xl/_rels/workbook.xml.rels')) relations.push(piece)
  relations.end()
  if (target === undefined) throw new Error('it has no sheet')
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

const noEvents = { open: () => undefined, close: () => undefined, text: () => undefined }

/** Reads the texts that cells refer to by number. A text may consist of several differently formatted parts. */
async function readTexts(archive: Archive, texts: SpooledTexts): Promise<void> {
  const name = 'xl/sharedStrings.xml'
  if (!archive.entries.has(name)) return
  let parts: string[] = []
  let isText = false
  let isReading = false
  const scanner = xmlScanner({
    open(tag) {
      if (tag === 'si') parts = []
      // Phonetic hints are no part of a text.
      else if (tag === 'rPh') isReading = true
      else if (tag === 't') isText = !isReading
    },
    close(tag) {
      if (tag === 'si') texts.push(parts.join(''))
      else if (tag === 'rPh') isReading = false
      else if (tag === 't') isText = false
    },
    text(text) {
      if (isText) parts.push(text)
    },
  })
  for await (const piece of await readPieces(archive, name)) scanner.push(piece)
  scanner.end()
}
