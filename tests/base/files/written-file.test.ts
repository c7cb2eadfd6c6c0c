import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namesOfFiles, resolveWrittenFile } from '../../../base/files/written-file.js'
import { temporaryFolder } from '../../support/store.js'

test('replaces the target of a symbolic link, even if the target does not exist yet', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  symlinkSync('file', join(folder, 'one'))
  symlinkSync('one', join(folder, 'two'))
  symlinkSync('new', join(folder, 'dangling'))
  symlinkSync('circle', join(folder, 'circle'))
  expect(resolveWrittenFile(join(folder, 'file'))).toBe(join(folder, 'file'))
  expect(resolveWrittenFile(join(folder, 'two'))).toBe(join(folder, 'file'))
  expect(resolveWrittenFile(join(folder, 'dangling'))).toBe(join(folder, 'new'))
  expect(resolveWrittenFile(join(folder, 'absent'))).toBe(join(folder, 'absent'))
  expect(() => resolveWrittenFile(join(folder, 'circle'))).toThrow('circle')
})

test('refuses folders, pipes, devices and open files of processes', async () => {
  const folder = await temporaryFolder()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  expect(() => resolveWrittenFile(folder)).toThrow('it is a folder')
  expect(() => resolveWrittenFile(join(folder, 'pipe'))).toThrow('it is a pipe (FIFO)')
  expect(() => resolveWrittenFile('/dev/null')).toThrow('it is a device or socket')
  if (existsSync('/proc/self/fd/1')) expect(() => resolveWrittenFile('/dev/stdout')).toThrow('open file of a process')
})

test.each([
  [
    ['a', 'b_1.x-y'],
    ['a', 'b_1.x-y'],
  ],
  [
    ['数学', '英语', 'тест', 'हिन्दी'],
    ['数学', '英语', 'тест', 'हिन्दी'],
  ],
  [
    ['a/b', 'a b'],
    [expect.stringMatching(/^a_b_[0-9a-f]{8}$/), expect.stringMatching(/^a_b_[0-9a-f]{8}$/)],
  ],
  [
    ['Task', 'task'],
    [expect.stringMatching(/^Task_/), expect.stringMatching(/^task_/)],
  ],
  [['学'.repeat(100)], [expect.stringMatching(/^学{40}_[0-9a-f]{8}$/)]],
])('tasks %j get distinct file names', (tasks, files) => {
  const names = namesOfFiles(tasks)
  expect(names).toEqual(files)
  expect(new Set(names).size).toBe(tasks.length)
})
