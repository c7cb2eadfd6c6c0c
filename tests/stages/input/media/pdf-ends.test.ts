import { expect, test } from 'vitest'
import { bytesSource } from '../../../../base/media/byte-source.js'
import { sniffMediaType } from '../../../../base/media/media-type.js'
import { checkMedium } from '../../../../stages/input/media/media-check.js'

const objects = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
${'% a comment\n'.repeat(200)}`
const whole = `${objects}xref\n0 4\n0000000000 65535 f\ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n170\n%%EOF\n`
const isPdf = { type: 'sound', media: { kind: 'file', format: 'pdf' } }

test.each([
  ['a byte order mark', '\xef\xbb\xbf'],
  ['blank lines', '\r\n\n \t\n'],
  ['the header of a printer', '\x1b%-12345X@PJL JOB\n@PJL ENTER LANGUAGE=PDF\n'],
  ['zeros', '\0'.repeat(200)],
  ['1,019 other bytes, which end with the mark', '\n'.repeat(1_019)],
])('a PDF is known behind %s', async (_, start) => {
  expect(await checkMedium(Buffer.from(start + whole, 'latin1'))).toMatchObject(isPdf)
})

test('what names a PDF behind the first 1,024 bytes is none', async () => {
  expect((await checkMedium(Buffer.from('\n'.repeat(1_020) + whole))).type).toBe('broken')
})

test('a medium of another format stays one if it names a PDF', () => {
  expect(sniffMediaType(Buffer.from(`RIFF\0\0\0\0WAVE${whole}`))?.format).toBe('wav')
  expect(sniffMediaType(Buffer.from(`fLaC${whole}`))?.format).toBe('flac')
})

test.each([1, 10, 40, 200, 1_000])(
  'a PDF without its last %i bytes is cut short, unless its end mark is left',
  async cut => {
    const part = Buffer.from(whole).subarray(0, -cut)
    const isLeft = part.includes('startxref')
    expect(await checkMedium(part)).toMatchObject(isLeft ? isPdf : { reason: 'the PDF file is cut short' })
  },
)

test.each([
  ['zeros', '\0'.repeat(5_000)],
  ['blank lines', '\r\n'.repeat(3_000)],
  ['some other bytes', 'x'.repeat(900)],
])('a PDF is whole if its end is followed by %s', async (_, end) => {
  expect(await checkMedium(Buffer.from(whole + end))).toMatchObject(isPdf)
})

test('the end of a large PDF is looked at in its file', async () => {
  const [bytes, cut] = [Buffer.from(whole), Buffer.from(objects)]
  expect(await checkMedium(bytes.subarray(0, 100), bytesSource(bytes))).toMatchObject(isPdf)
  expect(await checkMedium(cut.subarray(0, 100), bytesSource(cut))).toMatchObject({
    reason: 'the PDF file is cut short',
  })
})
