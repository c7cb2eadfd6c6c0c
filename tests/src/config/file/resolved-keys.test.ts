import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../../../src/config/file/config-file.js'
import { listResolvedKeys } from '../../../../src/config/file/resolved-keys.js'
import { readFolderDefaults } from '../../../../src/config/folder/folder-defaults.js'
import { temporaryFolder } from '../../../support/store.js'

test('lists each value of a run with its file, assignment or variable, without secrets', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pipeline.yaml'), 'store: ./answers\ntrack: mlflow=http://u:p@h\n')
  await writeFile(
    join(folder, 'base.yaml'),
    'model: openai\nmodel_args: "model=small,api_key=sk-of-base"\ntasks: ./t\n',
  )
  await writeFile(
    join(folder, 'top.yaml'),
    'extends: base.yaml\nmodel-args: {timeout: 9}\nenv: {KEY: hush}\njudge_args: {nested: {api_key: k, model: j}}\n',
  )
  const defaults = await readFolderDefaults(join(folder, 'pipeline.yaml'))
  if (typeof defaults === 'string') throw new Error(defaults)
  const [run] = await readConfigFile(join(folder, 'top.yaml'), { set: ['limit=5'], folder: defaults })
  if (run === undefined) throw new Error('no run')
  const env = { PIPELINE_STORE: join(folder, 'answers'), PIPELINE_PYTHON: 'python3.13' }
  const keys = listResolvedKeys(run, env, defaults).map(({ key, value, from }) => [
    key,
    value,
    from.replace(`${folder}/`, ''),
  ])
  expect(keys).toEqual([
    ['model', 'openai', 'base.yaml:1:8'],
    ['model_args.model', 'small', 'base.yaml:2:13'],
    ['model_args.api_key', '(hidden)', 'base.yaml:2:13'],
    ['model_args.timeout', 9, 'top.yaml:2:23'],
    ['tasks', [join(folder, 't')], 'base.yaml:3:8'],
    ['judge_args.nested.api_key', '(hidden)', 'top.yaml:4:32'],
    ['judge_args.nested.model', 'j', 'top.yaml:4:42'],
    ['limit', 5, '--set limit'],
    ['track', 'mlflow=http://h', 'pipeline.yaml:2:8'],
    ['env.KEY', '(hidden)', 'top.yaml:3:12'],
    ['store', join(folder, 'answers'), 'pipeline.yaml:1:8'],
    ['python', 'python3.13', '$PIPELINE_PYTHON'],
  ])
})
