import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseConfig } from '../../../../src/config/file/config-file.js'
import { fileIdentities } from '../../../../stages/input/datasets/locate/file-identities.js'
import { openDataFile } from '../../../../stages/input/datasets/data-file.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { readYamlFile } from '../../../../stages/input/tasks/yaml/yaml-file.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()
const problems = async (yaml: string | Uint8Array) =>
  (await readYamlFile(await folder.write('t.yaml', yaml))).problems.map(text => text.replace(/^.*t\.yaml:/, ''))

const bomb = (): string =>
  `a: &a [${'1,'.repeat(10)}]\n${Array.from('bcdefghij')
    .map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]!},`.repeat(10)}]\n`)
    .join('')}`

const circle = '4:5  *x: this alias stands within what it names (&x), which would have no end'
const nested = /^2:\d+ {2}nested too deep: 50,000 lists or maps within each other can't be read\. Write it flatter$/
const explosion = /^3:8 {2}aliases of aliases make more values of this than can be held/

test('reports the position of an alias inside the value that it names', async () => {
  expect(await problems('task: t\nmetadata: &x\n  - 1\n  - *x\n')).toEqual([circle])
  expect(() => parseConfig('model: dummy\ntasks: &x\n  - 1\n  - *x\n', 'c.yaml')).toThrow(`c.yaml:${circle}`)
})

test('reports the position of nested aliases that would fill the memory', async () => {
  expect(await problems(`task: t\n${bomb()}`)).toEqual([expect.stringMatching(explosion)])
  expect(() => parseConfig(`model: dummy\n${bomb()}`, 'c.yaml')).toThrow(/c\.yaml:3:8 {2}aliases of aliases/)
})

test('reports the position of YAML that is nested too deeply', async () => {
  const deep = `model: t\nmetadata: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`
  expect(await problems(deep)).toEqual([expect.stringMatching(nested)])
  expect(() => parseConfig(deep, 'c.yaml')).toThrow(/c\.yaml:2:\d+ {2}nested too deep: 50,000/)
})

test('many lines and many keys do not count as deep nesting', async () => {
  const keys = Array.from({ length: 130_000 }, (_, at) => `# ${at}`).join('\n')
  expect(await problems(`${keys}\ntask: t\n`)).toEqual([])
  const yaml = await folder.write('k.yaml', Array.from({ length: 500 }, (_, at) => `k${at}: ${at}`).join('\n'))
  await expect(loadTask(yaml, { cacheDir: folder.path('cache') })).rejects.toThrow(/k\.yaml:100:1 {2}k99: no such key/)
})

test('reports the line of YAML that is not UTF-8', async () => {
  expect(await problems(Buffer.from('task: t\ndescription: caf\u00e9\n', 'latin1'))).toEqual([
    expect.stringMatching(/^2:1 {2}line 2 is not UTF-8/),
  ])
  expect(await problems(Buffer.from('\ufefftask: t\n', 'utf16le'))).toEqual([
    expect.stringMatching(/^1:1 {2}it is UTF-16/),
  ])
})

test('rejects a pipe, a device or a circular link by its type, as task, include and data', async () => {
  execFileSync('mkfifo', [folder.path('pipe')])
  await symlink('loop.yaml', folder.path('loop.yaml'))
  const load = async (yaml: string) => loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('cache') })
  await expect(load('task: t\ninclude: pipe\n')).rejects.toThrow(/pipe:1:1 {2}it is a pipe \(FIFO\), not a file/)
  await expect(load('task: t\ninclude: /dev/zero\n')).rejects.toThrow(/zero:1:1 {2}it is a device, not a file/)
  await expect(load('task: t\ninclude: loop.yaml\n')).rejects.toThrow(
    /t\.yaml:2:10 {2}include: loop\.yaml: its symbolic links lead in a circle/,
  )
  const digests = { digest: () => Promise.reject(new Error()), knownDigest: () => Promise.reject(new Error()) }
  await expect(fileIdentities([folder.path('pipe')], digests)).rejects.toThrow(
    /pipe: it is a pipe \(FIFO\), not a file/,
  )
  await expect(fileIdentities(['/dev/zero'], digests)).rejects.toThrow(/zero: it is a device, not a file/)
})

const named: readonly (readonly [string, string | Uint8Array, string])[] = [
  ['d.xlsx', 'PK\x03\x04', 'd.xlsx is a workbook, which is not read here. Save its sheet as CSV'],
  ['d.csv', 'PK\x03\x04', 'd.csv: it is a ZIP archive (as an .xlsx workbook is), not text'],
  ['d.jsonl', Buffer.from('BZh91AY'), 'd.jsonl: it is packed by bzip2. Unpack it (bunzip2)'],
  ['d.csv', Buffer.from('\ufeffa,b\n', 'utf16le'), 'd.csv: it is UTF-16 text'],
  ['d.parquet', 'version https://git-lfs.github.com/spec/v1\n', 'd.parquet: it is a Git LFS pointer, not the content'],
  [
    'd.jsonl.gz',
    'version https://git-lfs.github.com/spec/v1\n',
    'd.jsonl.gz: it is a Git LFS pointer, not the content',
  ],
]

for (const [name, content, message] of named)
  test(`rejects ${name} that begins with ${JSON.stringify(String(content).slice(0, 7))} and says what to do`, async () => {
    await expect(openDataFile(await folder.write(name, content))).rejects.toThrow(message)
  })
