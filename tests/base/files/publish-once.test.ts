import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { haveSameSize, publishOnce, writeOnceSync } from '../../../base/files/publish-once.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'publish-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const identity = (path: string): readonly bigint[] => {
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  return [ino, mtimeNs]
}

test('a file of the same content keeps its inode and time, so that its readers see no change', async () => {
  const dir = folder()
  const [file, temporary] = [join(dir, 'rows.jsonl'), join(dir, 'b.tmp')]
  writeFileSync(join(dir, 'a.tmp'), 'rows\n')
  await publishOnce(join(dir, 'a.tmp'), file)
  const before = identity(file)
  writeFileSync(temporary, 'rows\n')
  await publishOnce(temporary, file)
  expect(identity(file)).toEqual(before)
  expect(readdirSync(dir)).toEqual(['rows.jsonl'])
})

test.each([
  ['of the same size', 'abcd', 'abxd'],
  ['that was cut off', 'abcd', 'ab'],
  ['that is larger than a piece of a stream', 'a'.repeat(200_000), `${'a'.repeat(199_999)}b`],
])('a damaged file %s is replaced', async (_, right, wrong) => {
  const dir = folder()
  const [file, temporary] = [join(dir, 'file'), join(dir, 'file.tmp')]
  writeFileSync(file, wrong)
  writeFileSync(temporary, right)
  await publishOnce(temporary, file)
  expect(readFileSync(file, 'utf8')).toBe(right)
  expect(readdirSync(dir)).toEqual(['file'])
})

test('many writers of one content leave the file of the first', async () => {
  const dir = folder()
  const file = join(dir, 'file')
  const publish = async (index: number): Promise<void> => {
    writeFileSync(join(dir, `${index}.tmp`), 'same')
    await publishOnce(join(dir, `${index}.tmp`), file)
  }
  await publish(0)
  const before = identity(file)
  await Promise.all(Array.from({ length: 20 }, (_, index) => publish(index + 1)))
  expect(identity(file)).toEqual(before)
  expect(readdirSync(dir)).toEqual(['file'])
})

test('the sizes of two files are compared without reading them', async () => {
  const dir = folder()
  writeFileSync(join(dir, 'a'), 'ab')
  writeFileSync(join(dir, 'b'), 'cd')
  expect(await haveSameSize(join(dir, 'a'), join(dir, 'b'))).toBe(true)
  expect(await haveSameSize(join(dir, 'a'), join(dir, 'missing'))).toBe(false)
})

test('a module that another process imports is written once', () => {
  const dir = folder()
  const file = join(dir, 'utils.py')
  writeOnceSync(file, 'a = 1\n')
  const before = identity(file)
  writeOnceSync(file, 'a = 1\n')
  expect(identity(file)).toEqual(before)
  expect(readdirSync(dir)).toEqual(['utils.py'])
})
