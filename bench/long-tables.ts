import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { zipArchive, type ZipFile } from '../src/exchange/write/zip-writer.js'
import { passage } from './passage.js'

type Row = readonly (string | number)[]

/** The rows of VLMEvalKit's predictions, or of the table with the score of each. */
function* rowsOf(samples: number, isScored: boolean): Generator<Row> {
  const names = ['index', 'question', 'A', 'B', 'answer', 'category', 'prediction']
  yield isScored ? [...names, 'hit', 'log'] : names
  for (let number = 0; number < samples; number++) {
    const [answer, given] = [number % 2 === 0 ? 'A' : 'B', number % 3 === 0 ? 'A' : 'B']
    const row = [number, passage(number), 'Red', 'Blue', answer, 'plain', `The answer of ${number} is ${given}.`]
    yield isScored ? [...row, Number(answer === given), `Match Log: ${given}. `] : row
  }
}

/** Writes a log of VLMEvalKit with tables of tab-separated values. @returns the path of the table */
export async function tabTable(folder: string, samples: number): Promise<string> {
  const file = join(folder, 'Mock-1B_Colours')
  for (const [name, isScored] of [
    ['', false],
    ['_exact_matching_result', true],
  ] as const)
    await pipeline(Readable.from(tabLines(rowsOf(samples, isScored))), createWriteStream(`${file}${name}.tsv`))
  return `${file}.tsv`
}

function* tabLines(rows: Iterable<Row>): Generator<string> {
  for (const row of rows) yield `${row.map(cell => `"${String(cell)}"`).join('\t')}\n`
}

/** Writes a log of VLMEvalKit with Excel tables. @returns the path of the table */
export async function excelTable(folder: string, samples: number): Promise<string> {
  const file = join(folder, 'Mock-1B_Colours')
  for (const [name, isScored] of [
    ['', false],
    ['_exact_matching_result', true],
  ] as const)
    await pipeline(
      Readable.from(zipArchive(workbook(rowsOf(samples, isScored)))),
      createWriteStream(`${file}${name}.xlsx`),
    )
  return `${file}.xlsx`
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook with shared texts, as XlsxWriter writes it for pandas. */
// eslint-disable-next-line @typescript-eslint/require-await -- an archive takes its files one by one
async function* workbook(rows: Iterable<Row>): AsyncGenerator<ZipFile> {
  const places = new Map<string, number>()
  const place = (text: string): number => {
    const known = places.get(text) ?? places.size
    places.set(text, known)
    return known
  }
  const sheet: string[] = []
  let line = 0
  for (const row of rows) {
    line++
    const cells = row.map((cell, at) => {
      const where = `${String.fromCharCode(65 + at)}${line}`
      return typeof cell === 'number'
        ? `<c r="${where}"><v>${cell}</v></c>`
        : `<c r="${where}" t="s"><v>${place(cell)}</v></c>`
    })
    sheet.push(`<row r="${line}" spans="1:${row.length}">${cells.join('')}</row>`)
  }
  const texts = [...places.keys()].map(text => `<si><t>${text}</t></si>`)
  const sheets = `<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets>`
  yield { name: 'xl/workbook.xml', content: `<workbook xmlns="${main}" xmlns:r="${office}">${sheets}</workbook>` }
  yield {
    name: 'xl/_rels/workbook.xml.rels',
    content: `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
  }
  yield {
    name: 'xl/worksheets/sheet1.xml',
    content: `<worksheet xmlns="${main}"><sheetData>${sheet.join('')}</sheetData></worksheet>`,
  }
  yield { name: 'xl/sharedStrings.xml', content: `<sst xmlns="${main}">${texts.join('')}</sst>` }
}
