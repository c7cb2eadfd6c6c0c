import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { decodeInlineMedium, isInlineMedium, shownName } from '../../../../stages/input/media/inline-medium.js'
import { MediumError } from '../../../../stages/input/media/medium-error.js'
import { bytesAndPath, noFile } from '../../../../stages/input/media/read-medium.js'

const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif'): Promise<Buffer> =>
  sharp({ create: { width: 9, height: 7, channels: 3, background: 'teal' } })
    .toFormat(format)
    .toBuffer()

test.each(['png', 'jpeg', 'webp', 'gif'] as const)('reads an inline %s in each form that rows use', async format => {
  const bytes = await picture(format)
  const base64 = bytes.toString('base64')
  const escaped = [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const forms = [
    base64,
    base64.replace(/=+$/, ''),
    base64.replace(/.{76}/g, '$&\n'),
    bytes.toString('base64url'),
    `data:image/${format};base64,${bytes.toString('base64url')}`,
    `data:image/${format};base64,${base64}`,
    `DATA:;charset=x;base64,${base64}`,
    `data:image/${format};base64,${encodeURIComponent(base64)}`,
    `data:image/${format},${escaped}`,
    { bytes: base64, path: null },
    { bytes: base64 },
    { bytes: null, path: base64 },
    { bytes: `data:image/${format};base64,${base64}`, path: 'a.png' },
    { bytes, path: 'a.png' },
  ]
  for (const form of forms) expect(Buffer.from(bytesAndPath(form).bytes ?? []).equals(bytes)).toBe(true)
})

test('does not take a file name for base64', () => {
  const names = [
    'a.png',
    'images/COCO_train2014_000000581857',
    '0',
    'iVBORw0KGgo.png',
    '/9j/',
    `images/${'a'.repeat(60)}`,
  ]
  for (const name of names) {
    expect(isInlineMedium(name)).toBe(false)
    expect(bytesAndPath(name)).toEqual({ path: name })
  }
})

test('rejects damaged data without showing them', () => {
  const data = randomBytes(300).toString('base64')
  for (const text of [
    `iVBORw0KGgo${data}*${data}`,
    `data:image/png;base64,${data}*`,
    `data:image/png;base64${data}`,
    `data:,%zz${data}`,
  ])
    try {
      decodeInlineMedium(text)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(MediumError)
      expect(String(error)).not.toContain(data.slice(0, 8))
      expect(String(error)).toMatch(/of \d+ characters/)
    }
  expect(() => bytesAndPath({ bytes: `*${data}` })).toThrow(/"bytes", a text of 401 characters, is damaged/)
})

test('does not show a name that is not a path', () => {
  const data = randomBytes(300).toString('base64')
  for (const text of [data, `data:${data}`, `${data}.x.y`, `b'${data.slice(0, 200)}'`])
    expect(shownName(text)).not.toContain(data.slice(0, 8))
  expect(shownName('images/a.png')).toBe('images/a.png')
  expect(noFile('a.png')).toBe('no file a.png')
  expect(noFile('17')).toContain('the picture of another row')
})
