import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPlugins, type Plugins } from '../../../src/model/plugins.js'
import { temporaryFolder } from '../../support/store.js'

const backend = (id: string): string =>
  `{ id: '${id}', summary: '', args: {}, accepts: ['text'], requests: [], code: { files: [] }, identify() {}, open() {} }`

/** Loads a plugin out of a folder with these files. */
async function load(name: string, files: Readonly<Record<string, string>>): Promise<Plugins> {
  const folder = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return loadPlugins([name], { cacheDir: join(folder, 'code'), folder })
}

const packageFiles = (main: object, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  'node_modules/plug/package.json': JSON.stringify({ name: 'plug', version: '1.0.0', ...main }),
  ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`node_modules/plug/${name}`, text])),
})

test.each([
  ['an ES module for import alone', { type: 'module', exports: { import: './m.js' } }, 'm.js'],
  ['TypeScript', { exports: './m.ts' }, 'm.ts'],
])('loads a package that is %s', async (_, main, file) => {
  const { backends, closures } = await load('plug', {
    ...packageFiles(main, { [file]: `export * from './b.js'\n`, 'b.js': `export const mine = ${backend('mine')}\n` }),
  })
  expect(backends.map(({ backend: { id }, origin }) => [id, origin])).toEqual([['mine', 'plug']])
  expect([...closures.values()].map(closure => Object.keys(closure))).toEqual([['b.js', file]])
})

test('loads a CommonJS package', async () => {
  const { backends } = await load(
    'plug',
    packageFiles({ main: 'm.cjs' }, { 'm.cjs': `exports.mine = ${backend('mine')}\n` }),
  )
  expect(backends.map(({ backend: { id } }) => id)).toEqual(['mine'])
})

test('loads a file by its path, which is its origin', async () => {
  const { backends } = await load('./mine.ts', { 'mine.ts': `export const mine: object = ${backend('mine')}\n` })
  expect(backends.map(({ origin }) => origin)).toEqual(['./mine.ts'])
})

test.each([
  ['plug', {}, /no plugin package plug that can be imported from .*npm install plug/],
  ['./plug.ts', {}, 'no plugin file ./plug.ts'],
  ['plug', packageFiles({ main: 'm.js' }, { 'm.js': '' }), /plugin plug exports nothing\. Export what defineBackend/],
  [
    './plug.ts',
    { 'plug.ts': 'export const helper = 1\nexport default { answer: 2 }\n' },
    /plugin \.\/plug\.ts exports default, helper\. Export what defineBackend\(…\), .*extending\.md/,
  ],
])('rejects an unusable plugin: %s', async (name, files, message) => {
  await expect(load(name, files)).rejects.toThrow(message)
})

test('rejects a pipe, a device or a folder as a plugin, by its type', async () => {
  const folder = await temporaryFolder()
  execFileSync('mkfifo', [join(folder, 'pipe.ts')])
  await mkdir(join(folder, 'folder.ts'))
  const words = (name: string) => loadPlugins([name], { cacheDir: join(folder, 'code'), folder })
  await expect(words('./pipe.ts')).rejects.toThrow('plugin ./pipe.ts: it is a pipe (FIFO), not a file')
  await expect(words('./folder.ts')).rejects.toThrow('plugin ./folder.ts: it is a folder, not a file')
  await expect(words('/dev/zero')).rejects.toThrow('plugin /dev/zero: it is a device, not a file')
})

test('names the missing fields of an incomplete backend, instead of an unknown model', async () => {
  const file = `export const mine = { id: 'mine', args: {}, open() {} }\n`
  await expect(load('./m.js', { 'm.js': file })).rejects.toThrow(
    'plugin ./m.js: backend "mine" has no summary, accepts, requests, code, identify (docs/extending.md)',
  )
})
