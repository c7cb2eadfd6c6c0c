import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { expectFile, readText, readTextSync } from '../../../base/files/files.js'
import { temporaryFolder } from '../../stages/input/temp-folder.js'

const folder = temporaryFolder()

test('reads a settings file as UTF-8 without its byte order mark', async () => {
  const file = await folder.write('a.yaml', '\ufefftask: é\n')
  expect(await readText(file)).toBe('task: é\n')
  expect(readTextSync(file)).toBe('task: é\n')
})

test('refuses pipes and devices by their type, before they are opened', async () => {
  execFileSync('mkfifo', [folder.path('pipe')])
  await symlink('loop', folder.path('loop'))
  await expect(readText(folder.path('pipe'))).rejects.toThrow('it is a pipe (FIFO), not a file')
  expect(() => readTextSync(folder.path('pipe'))).toThrow('it is a pipe (FIFO), not a file')
  await expect(expectFile('/dev/zero')).rejects.toThrow('it is a device, not a file')
  await expect(readText(folder.path())).rejects.toThrow('it is a folder, not a file')
  await expect(readText(folder.path('loop'))).rejects.toThrow('its symbolic links lead in a circle')
  await expect(readText(folder.path('none'))).rejects.toMatchObject({ code: 'ENOENT', message: 'no such file' })
})

test('names the size of a file that is too large', async () => {
  const file = await folder.write('a.yaml', 'x'.repeat(3 * 2 ** 20))
  await expect(readText(file, 2 * 2 ** 20)).rejects.toThrow('it has 3 MB; 2 MB is the largest file of this kind')
})

const foreign: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['UTF-16', Buffer.from('\ufefftask: t\n', 'utf16le'), 'it is UTF-16 text. Save it as UTF-8'],
  ['UTF-16 without a mark', Buffer.from('task: t\n', 'utf16le'), 'it is UTF-16 text. Save it as UTF-8'],
  ['Latin-1', Buffer.from('a: 1\n\nb: caf\u00e9\n', 'latin1'), 'line 3 is not UTF-8. Save the file as UTF-8'],
  ['a workbook', Buffer.from('PK\x03\x04...'), 'it is a ZIP archive (as an .xlsx workbook is)'],
  ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'it is packed by gzip'],
  [
    'a Git LFS pointer',
    'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n',
    'it is a Git LFS pointer, not the content. Fetch that with: git lfs pull',
  ],
]

for (const [name, content, message] of foreign)
  test(`refuses a file that is ${name} and says what to do`, async () => {
    await expect(readText(await folder.write('a.yaml', content))).rejects.toThrow(message)
  })
