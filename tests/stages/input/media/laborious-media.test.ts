import { describe, expect, test } from 'vitest'
import { WorkBudgetError } from '../../../../base/files/work-budget.js'
import { readHeicPicture } from '../../../../base/media/heic-items.js'
import { pictureOrientation } from '../../../../base/media/picture-orientation.js'
import { pictureSize } from '../../../../base/media/picture-size.js'
import { checkMedium } from '../../../../stages/input/media/media-check.js'
import { heicFile, laboriousMedia } from '../../../support/laborious-media.js'

/** What is said of each file. The others are taken as media, and decoders with limits of their own read them. */
const reasons: Readonly<Record<string, string>> = {
  'PNG of empty chunks': 'the PNG image is made of more than 100000 chunks',
  'JPEG of bytes that fill': 'the JPEG image is cut short',
  'JPEG of empty segments': 'the JPEG image is cut short',
  'PDF of one word before one stream': 'the PDF file has no pages',
}

describe('a file that asks for much work', () => {
  test.each(Object.entries(laboriousMedia))('is checked within the limits of its parser: %s', async (name, make) => {
    const bytes = make()
    const checked = await checkMedium(bytes)
    expect(checked.type === 'broken' ? checked.reason : undefined).toBe(reasons[name])
    expect(pictureOrientation(bytes)).toBe(1)
    pictureSize(bytes)
  })

  test.each(Object.keys(laboriousMedia).filter(name => name.startsWith('HEIC')))(
    'is refused where its pictures are read: %s',
    name => {
      expect(() => readHeicPicture(laboriousMedia[name]!())).toThrow(WorkBudgetError)
    },
  )
})

test('a HEIC file of the same form without repetitions is read', () => {
  expect(readHeicPicture(heicFile())).toMatchObject({ columns: 1, rows: 1, width: 16, height: 16 })
})
