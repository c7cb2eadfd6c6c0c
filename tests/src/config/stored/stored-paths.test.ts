import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withAbsolutePaths } from '../../../../src/config/stored/stored-paths.js'
import { temporaryFolder } from '../../../support/store.js'

async function folderWith(...files: readonly string[]): Promise<string> {
  const folder = await temporaryFolder()
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), 'x')
  }
  return folder
}

test('makes paths of tasks, prices and system instruction absolute, and keeps names', async () => {
  const folder = await folderWith('system.txt')
  const config = {
    tasks: ['mmmu_val', './own', 'own/t.yaml', '/else/t.yaml', 't.yaml'],
    prices: 'prices.yaml',
    system_instruction: 'system.txt',
  }
  expect(withAbsolutePaths(config, folder, {})).toEqual({
    tasks: ['mmmu_val', join(folder, 'own'), join(folder, 'own/t.yaml'), '/else/t.yaml', join(folder, 't.yaml')],
    prices: join(folder, 'prices.yaml'),
    system_instruction: join(folder, 'system.txt'),
  })
  const text = { system_instruction: 'Be brief.\nThink.' }
  expect(withAbsolutePaths(text, folder, {})).toEqual(text)
})

test('makes the files of a local model absolute', async () => {
  const folder = await folderWith('models/tiny/config.json')
  const model = { backend: 'onnx_vlm', args: { dtype: 'int8' }, files: { 'config.json': 'sha256:0' } }
  const config = { model_args: { model: 'models/tiny', dtype: 'int8', threads: 2, log_file: 'logs/x' } }
  expect(withAbsolutePaths(config, folder, { model })).toEqual({
    model_args: { model: join(folder, 'models/tiny'), dtype: 'int8', threads: 2, log_file: join(folder, 'logs/x') },
  })
})

test('keeps the name of a remote model, even if a folder has that name', async () => {
  const folder = await folderWith('org/name/README.md')
  const model = { backend: 'openai', args: { model: 'org/name' } }
  const config = { model_args: { model: 'org/name' }, judge_args: { model: 'org/name', models_dir: '../m' } }
  expect(withAbsolutePaths(config, folder, { model })).toEqual({
    model_args: { model: 'org/name' },
    judge_args: { model: 'org/name', models_dir: join(folder, '../m') },
  })
})

test('does not change an absolute path in another folder', async () => {
  const folder = await folderWith('own/t.yaml')
  const once = withAbsolutePaths({ tasks: ['./own'], model_args: { path: './m' } }, folder, {})
  expect(withAbsolutePaths(once, '/elsewhere', {})).toEqual(once)
})
