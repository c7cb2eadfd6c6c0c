import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spooledTexts } from '../../../../src/exchange/read/xlsx/spooled-texts.js'
import { type SheetCell, xlsxRows } from '../../../../src/exchange/read/xlsx/xlsx.js'
import { attribute, xmlScanner } from '../../../../src/exchange/read/xlsx/xml-scan.js'
import { zipOf } from '../../../support/zip.js'

const workbook =
  '<x:workbook xmlns:x="a" xmlns:r="b"><x:sheets><x:sheet name="a &gt; b" r:id="rId7"/></x:sheets></x:workbook>'
const relations = '<Relationships><Relationship Id="rId7" Target="/xl/worksheets/first.xml"/></Relationships>'

describe('Excel files', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'xlsx-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function rowsOf(sheet: string, texts?: string): Promise<readonly (readonly SheetCell[])[]> {
    const file = join(folder, 'made.xlsx')
    await writeFile(
      file,
      zipOf({
        'xl/workbook.xml': workbook,
        'xl/_rels/workbook.xml.rels': relations,
        'xl/worksheets/first.xml': sheet,
        ...(texts === undefined ? {} : { 'xl/sharedStrings.xml': texts }),
      }),
    )
    const rows: (readonly SheetCell[])[] = []
    for await (const row of xlsxRows(file)) rows.push(row)
    return rows
  }

  it('contain texts, numbers, booleans and gaps', async () => {
    const sheet = `<?xml version="1.0"?><worksheet><sheetData><!-- > --><row r="1">
      <c r="A1" t="s"><v>1</v></c><c r="C1"><v>-1.5e3</v></c><c r="AA1" t="b"><v>1</v></c></row>
      <row><c t="inlineStr"><is><t xml:space="preserve"> a&#x20AC;</t><r><t>b</t></r></is></c><c t="e"><v>#N/A</v></c>
      <c t="str"><f>1&gt;2</f><v>x_x000D_y</v></c><c/></row></sheetData></worksheet>`
    const texts = '<sst><si><t>no</t></si><si><r><t>y</t></r><r><t>es</t></r><rPh><t>hint</t></rPh></si></sst>'
    const [first, second] = await rowsOf(sheet, texts)
    expect(first).toEqual(['yes', null, -1500, ...Array.from({ length: 23 }, () => null), true])
    expect(second).toEqual([' a€b', null, 'x\ry', null])
  })

  it('are rejected if they are incomplete or have a dangling reference', async () => {
    await expect(rowsOf('<worksheet><sheetData><row>')).rejects.toThrow(
      /can't be read as an Excel file: its XML ends too early/,
    )
    await expect(rowsOf('<worksheet><row><c t="s"><v>4</v></c></row></worksheet>')).rejects.toThrow(/text 4 of 0/)
    await expect(rowsOf('<!DOCTYPE a><worksheet/>')).rejects.toThrow(/document type definition/)
    await expect(rowsOf('<worksheet><row><c r="ZZZZ1"><v>4</v></c></row></worksheet>')).rejects.toThrow(/place ZZZZ1/)
  })

  it('are read the same however their text is split', () => {
    const text = `<?a >?><a b="x>y" c='1'><!-- <b> --><n:d/>&lt;t&#65;<![CDATA[<&]]></a>`
    const scanned = (size: number): string => {
      const events: string[] = []
      let said = ''
      const tell = (event: string): void => {
        if (said !== '') events.push(`"${said}"`)
        said = ''
        events.push(event)
      }
      const scanner = xmlScanner({
        open: (name, attributes) => {
          tell(`${name} ${attribute(attributes, 'b') ?? ''}`)
        },
        close: name => {
          tell(`/${name}`)
        },
        text: more => (said += more),
      })
      for (let at = 0; at < text.length; at += size) scanner.push(text.slice(at, at + size))
      scanner.end()
      return events.join(' ')
    }
    const whole = scanned(text.length)
    expect(whole).toBe('a x>y d  /d "<tA<&" /a')
    for (let size = 1; size < text.length; size++) expect(scanned(size)).toBe(whole)
  })

  it('may contain more texts than are kept in memory', () => {
    const texts = spooledTexts()
    try {
      const textAt = (index: number): string => `${index} ${'ä€'.repeat(index % 300)}`
      for (let index = 0; index < 30_000; index++) texts.push(textAt(index))
      for (const index of [0, 1, 299, 12_345, 29_999, 7]) expect(texts.at(index)).toBe(textAt(index))
      texts.push('x'.repeat(200_000))
      expect(texts.at(30_000)).toHaveLength(200_000)
      expect(texts.at(30_001)).toBeUndefined()
      expect(texts.length).toBe(30_001)
    } finally {
      texts.close()
    }
  })
})
