import { spawnSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseUnreadable } from '../../base/files/refuse-unreadable.js'
import { digestOfFile } from '../../cache/file-pieces.js'
import { temporaryFolder } from '../support/store.js'

test('a pipe, a device and a folder are refused before they are opened, also behind a link', async () => {
  const folder = await temporaryFolder()
  const [pipe, link] = [join(folder, 'pipe'), join(folder, 'link')]
  spawnSync('mkfifo', [pipe])
  await symlink(pipe, link)
  for (const path of [pipe, link]) await expect(digestOfFile(path)).rejects.toThrow('it is a pipe (FIFO), not a file')
  await expect(digestOfFile('/dev/zero')).rejects.toThrow('it is a device, not a file')
  await expect(digestOfFile(folder)).rejects.toThrow('it is a folder, not a file')
})

test('the error of a file of a model names the file, and other errors pass', async () => {
  const path = join(await temporaryFolder(), 'nowhere.gguf')
  await expect(digestOfFile(path).catch(refuseUnreadable(path))).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('nowhere.gguf: no such file') as string,
  })
  expect(() => refuseUnreadable(path)(new Error('a bug'))).toThrow('a bug')
})
