import { expect, test } from 'vitest'
import { variablesOf } from '../../../src/config/config-env.js'
import { parseConfig } from '../../../src/config/config-file.js'

test('variables of a file are those of the environment, with others in them', () => {
  const given = {
    KEY: '${MY_KEY}',
    HOME_OF_DATA: '${DATA:-/data}/hf',
    PATHS: '$ROOT/a:$ROOT/b',
    COUNT: 3,
    ON: true,
    NONE: null,
  }
  expect(variablesOf(given, { MY_KEY: 'k', ROOT: '/r' })).toEqual({
    KEY: 'k',
    HOME_OF_DATA: '/data/hf',
    PATHS: '/r/a:/r/b',
    COUNT: '3',
    ON: 'true',
  })
})

test('what is not set sets nothing', () => {
  expect(variablesOf({ KEY: '${MY_KEY}', OTHER: '$MY_KEY' }, {})).toEqual({})
  expect(variablesOf(undefined, {})).toEqual({})
})

test('a value that is no text is refused without being shown', () => {
  const { env } = parseConfig('env:\n  KEY: [sk-secret]\n', 'c.yaml')[0]!.config
  expect(() => variablesOf(env, {})).toThrow(/^env\.KEY: expected a text$/)
})

test('lmms-eval’s example of a file for an API is one here', () => {
  const text = `env:
  OPENAI_API_KEY: "\${OPENAI_API_KEY}"
  HF_HOME: "\${HF_HOME:-~/.cache/huggingface}"
model: openai
model_args: "model=gpt-4o,max_retries=5"
tasks: "mme,mmmu_val"
batch_size: 1
num_fewshot: 0
gen_kwargs: "temperature=0,max_new_tokens=1024"
output_path: "results/"
log_samples: true
`
  expect(parseConfig(text, 'example_api.yaml')).toMatchObject([
    { config: { model: 'openai', batch_size: 1, log_samples: true } },
  ])
})
