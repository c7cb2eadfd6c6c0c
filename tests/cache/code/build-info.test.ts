import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildInfo, projectRoot } from '../../../cache/code/build-info.js'
import { codeManifest, missingPackage } from '../../../cache/code/code-manifest.js'
import { gitBlobId } from '../../../cache/code/describe-sources.js'

test('computes the same id of a file as git', () => {
  expect(gitBlobId(Buffer.from('what is up, doc?'))).toBe('bd9dbf5aae1a3862dd1526723246b20206e5fc37')
  const content = readFileSync(join(projectRoot, 'base', 'errors', 'errors.ts'))
  expect(buildInfo().files['base/errors/errors.ts']).toBe(gitBlobId(content))
})

test('a manifest lists files by name and by folder, and the versions of packages', async () => {
  const manifest = await codeManifest({ files: ['stages/judge/', 'base/errors/errors.ts'], packages: ['zod'] })
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'node_modules/zod/package.json'), 'utf8')) as {
    version: string
  }
  expect(manifest.packages).toEqual({ zod: version })
  expect(manifest.files).toHaveProperty(['stages/judge/define/define-metric.ts'])
  expect(manifest.files).toHaveProperty(['base/errors/errors.ts'])
  expect(Object.keys(manifest.files)).toEqual(Object.keys(manifest.files).sort())
})

test('an error names a package that is not installed', async () => {
  await expect(codeManifest({ files: ['base/errors/errors.ts'], packages: ['no-such-package-here'] })).rejects.toThrow(
    'the package "no-such-package-here" is not installed',
  )
})

test('names the command that installs a missing optional package', async () => {
  expect(await missingPackage('onnxruntime-node')).toMatch(
    /^the optional package "onnxruntime-node", which computes local models, is not installed: run `npm install onnxruntime-node@\d+\.\d+\.\d+ --ignore-scripts`$/,
  )
})

test('throws an error that names a path without a source file', async () => {
  await expect(codeManifest({ files: ['base/nothing.ts'] })).rejects.toThrow('no source file at base/nothing.ts')
})
