import { Command } from 'commander'
import { expect, test } from 'vitest'
import { normalizeArgs } from '../../../../src/cli/flags/command-line.js'
import { withEvaluation, withResultFiles } from '../../../../src/cli/flags/evaluation-options.js'
import { lineInstead } from '../../../../src/cli/flags/line-instead.js'
import { parseArguments } from '../../../../src/config/argument-string.js'
import { standInFor } from '../../../../stages/model/lmms-models.js'
import { findBackend, listBackends } from '../../../../stages/model/registry.js'

const evalCommand = (): Command => withResultFiles(withEvaluation(new Command('eval')))
const { options } = evalCommand()

/** The message for a line of lmms-eval; `ofFile` are `model_args` of a configuration file. */
function insteadOf(line: readonly string[], ofFile: Record<string, string> = {}): Promise<string | undefined> {
  const words = normalizeArgs(line)
  const typed = evalCommand().parse(words.slice(1), { from: 'user' })
  const flags = typed.opts<{ model?: string; modelArgs?: string[] }>()
  return lineInstead(
    {
      model: flags.model ?? 'qwen2_5_vl',
      modelArgs: { ...ofFile, ...parseArguments(flags.modelArgs ?? [], '--model-args') },
    },
    { words, options },
  )
}

test('translates a command line of lmms-eval to one with an inference engine, without ineffective flags', async () => {
  const line = [
    ...[
      '--model',
      'qwen2_5_vl',
      '--model_args',
      'pretrained=Qwen/Qwen2.5-VL-7B-Instruct,max_pixels=602112,device_map=auto',
    ],
    ...['--tasks', 'mme,mmmu_val', '--limit=8', '--batch_size', '1', '-o', 'my results', '--log_samples'],
  ]
  const [sentence, command, , inPython] = (await insteadOf(line))!.split('\n')
  expect(sentence).toMatch(/a serving engine is started.* Left out, since vllm has no such argument: device_map\. Use/)
  expect(command).toBe(
    "pipeline eval --model vllm --model-args model=Qwen/Qwen2.5-VL-7B-Instruct,max_pixels=602112 --tasks mme,mmmu_val --limit=8 -o 'my results' --log-samples",
  )
  expect(inPython).toBe(
    "pipeline eval --model lmms --model-args class=qwen2_5_vl,pretrained=Qwen/Qwen2.5-VL-7B-Instruct,max_pixels=602112,device_map=auto --tasks mme,mmmu_val --limit=8 -o 'my results' --log-samples",
  )
})

test.each([
  [['--model', 'llava_onevision', '--tasks', 'mme'], 'model=llava-hf/llava-onevision-qwen2-7b-ov-hf --tasks mme'],
  [
    ['--model=llava', '--model_args=pretrained=liuhaotian/llava-v1.6-mistral-7b', '--tasks', 'mme'],
    'model=llava-hf/llava-v1.6-mistral-7b-hf --tasks mme',
  ],
  [['--model', 'hf-auto', '--tasks', 'mme'], 'model=ORG/NAME --tasks mme'],
  [
    ['infer', '--model', 'minicpm_v', '--model-args', 'pretrained=./my model', '--tasks', 'mme'],
    `'{"model":"./my model","trust_remote_code":"true"}' --tasks mme`,
  ],
])('suggests a command line for %j', async (line, expected) => {
  const command = (await insteadOf(line))!.split('\n')[1]!
  expect(command).toBe(`pipeline ${line[0] === 'infer' ? 'infer' : 'eval'} --model vllm --model-args ${expected}`)
})

test('the suggested command line overrides a model of a file, and says what to remove there', async () => {
  const message = await insteadOf(['eval', '--config', 'c.yaml'], { pretrained: 'a/b', conv_template: 'qwen_1_5' })
  expect(message).toMatch(/First take conv_template out of model_args in c\.yaml\./)
  expect(message).toMatch(/\npipeline eval --model vllm --model-args model=a\/b --config c\.yaml\n/)
})

test('writes no secret into a command line', async () => {
  expect(
    await insteadOf(['--model', 'gpt4v', '--model_args', 'model_version=gpt-4o,api_key=sk-x', '--tasks', 'a']),
  ).toMatch(/\npipeline eval --model openai --model-args model=gpt-4o --tasks a$/)
})

test('suggests nothing for names of backends and for unknown names', async () => {
  for (const { id, aliases } of listBackends([])) expect([id, ...aliases].filter(standInFor)).toEqual([])
  expect(await lineInstead({ model: 'opnai', modelArgs: {} }, { words: ['eval'], options })).toBeUndefined()
  for (const name of ['constructor', '__proto__']) expect(standInFor(name)).toBeUndefined()
})

test('tells a program without a command line the model', async () => {
  await expect(findBackend('llava_onevision', [])).rejects.toThrow(
    /Use model: "vllm" modelArgs: \{"model":"llava-hf\/llava-onevision-qwen2-7b-ov-hf".*\}$/,
  )
  await expect(findBackend('longva', [])).rejects.toThrow(/If your vLLM does not know its architecture/)
})
