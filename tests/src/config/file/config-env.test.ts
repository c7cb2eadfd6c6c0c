import { expect, test } from 'vitest'
import { expandVariables } from '../../../../src/config/file/config-env.js'
import { parseConfig } from '../../../../src/config/file/config-file.js'

const at = (): string => 'c.yaml:1:1'

test('env of a file sets variables that may refer to those of the environment', () => {
  const given = {
    KEY: '${MY_KEY}',
    HOME_OF_DATA: '${DATA:-/data}/hf',
    PATHS: '$ROOT/a:$ROOT/b',
    COUNT: 3,
    ON: true,
    NONE: null,
  }
  expect(expandVariables(given, { MY_KEY: 'k', ROOT: '/r' }, at)).toEqual({
    KEY: 'k',
    HOME_OF_DATA: '/data/hf',
    PATHS: '/r/a:/r/b',
    COUNT: '3',
    ON: 'true',
  })
})

test('an empty value sets nothing', () => {
  expect(expandVariables({ KEY: '${MY_KEY}', OTHER: '${NONE:-}' }, { MY_KEY: '' }, at)).toEqual({})
  expect(expandVariables(undefined, {}, at)).toEqual({})
})

test('rejects a reference to an unset variable, with its position', () => {
  const [run] = parseConfig('model: m\nenv:\n  KEY: ${MY_KEY}\n  B: a$OTHER\n  C: ${GIVEN}\n', 'c.yaml')
  expect(() => expandVariables(run!.config.env, { GIVEN: '1' }, run!.at)).toThrow(
    /^c\.yaml:3:8 {2}env\.KEY: the environment has no MY_KEY\. Set it.*\nc\.yaml:4:6 {2}env\.B: the environment has no OTHER/,
  )
})

test('rejects a variable that is read before the file, or that is unknown', () => {
  const set = (name: string) => () => expandVariables({ [name]: '1' }, {}, at)
  expect(set('PIPELINE_DEBUG')).toThrow(/c\.yaml:1:1 {2}env\.PIPELINE_DEBUG: .*PIPELINE_DEBUG=… pipeline/)
  expect(set('PIPELINE_PYTHONS')).toThrow('the program has no variable PIPELINE_PYTHONS')
  expect(set('MY_PIPELINE')).not.toThrow()
})

test.each([
  ['model_args: {api_key: "${KEY}"}', 'c.yaml:2:23  model_args.api_key: ${KEY}'],
  ['model_args: model=m,api_key=${KEY}', 'c.yaml:2:13  model_args: ${KEY}'],
  ['judge_args: {extra: {a: ["$KEY"]}}', 'c.yaml:2:26  judge_args.extra.a.0: $KEY'],
  ['model_args: {base_url: "http://host/${KEY}/v1"}', 'c.yaml:2:24  model_args.base_url: ${KEY}'],
  ['store: "${ROOT:-/data}/runs"', 'c.yaml:2:8  store: ${ROOT:-/data}'],
  ['webhook: "http://host/${TOKEN}"', 'c.yaml:2:10  webhook: ${TOKEN}'],
  ['track: "mlflow=http://host/${TOKEN}"', 'c.yaml:2:8  track: ${TOKEN}'],
  ['include_path: ["$TASKS"]', 'c.yaml:2:16  include_path.0: $TASKS'],
])('rejects %s, because the reference would not be replaced', (line, message) => {
  expect(() => parseConfig(`model: m\n${line}\n`, 'c.yaml')).toThrow(`${message} is not replaced here`)
})

test.each(['system_instruction: "Write ${X}$ as LaTeX."', 'note: "costs ${X}"', 'gen_kwargs: {until: ["$X", "${Y}"]}'])(
  '%s may contain any characters',
  line => {
    expect(() => parseConfig(`model: m\n${line}\n`, 'c.yaml')).not.toThrow()
  },
)

test('rejects a value that is not a text, without showing it', () => {
  const { env } = parseConfig('env:\n  KEY: [sk-secret]\n', 'c.yaml')[0]!.config
  expect(() => expandVariables(env, {}, at)).toThrow(/^c\.yaml:1:1 {2}env\.KEY: expected a text$/)
})

test('lmms-eval’s example file for an API is valid', () => {
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
